"""make bench: every benchmark, as one table each."""

from benchmarks import accounting, calibration, conversions, everywhere, importing, web

if __name__ == "__main__":
    conversions.main()
    importing.main()
    accounting.main()
    everywhere.main()
    calibration.main()
    web.main()
