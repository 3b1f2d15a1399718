from bucketing.families import elementwise_cases, indexing_cases, mixing_cases, movement_cases, program_cases

ALL = (
    *elementwise_cases.CASES,
    *movement_cases.CASES,
    *mixing_cases.CASES,
    *indexing_cases.CASES,
    *program_cases.CASES,
)
