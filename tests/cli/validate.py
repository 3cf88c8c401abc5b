"""usage: validate.py SCHEMA REPORT... — each report keeps the schema, and the schema its dialect."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for path in sys.argv[2:]:
    for error in validator.iter_errors(json.load(open(path))):
        print(f"{path}: {'.'.join(map(str, error.path))}: {error.message[:200]}")
        bad = 1
sys.exit(bad)
