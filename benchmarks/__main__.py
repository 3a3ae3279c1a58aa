"""make bench: every benchmark, as one table each."""

from benchmarks import accounting, calibration, conversions, importing, web

if __name__ == "__main__":
    conversions.main()
    importing.main()
    accounting.main()
    calibration.main()
    web.main()
