"""People with several records.

A person has up to four records in the data. Four times the fitted μ of one record is the usual shortcut; the exact
account of the unit is better, and needs no shortcut.
"""

import gaussdp

one = gaussdp.account(gaussdp.DPSGD(1.0, 0.00512, 3907))
four = gaussdp.account(gaussdp.DPSGD(1.0, 0.00512, 3907, records_per_unit=4))
naive = gaussdp.GDP(one.fit().mu).group(4)
for words, curve in {"one record": one, "a person, exactly": four, "four times μ": naive}.items():
    print(f"{words:<18} ε = {curve.epsilon(1e-5):6.3f} at δ = 1e-5")

figure = gaussdp.comparison_figure({"one record": one, "a person, exactly": four, "four times μ": naive})
