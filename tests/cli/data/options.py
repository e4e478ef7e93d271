"""Prints some of `softwood options --json`, for options.test."""
import json, sys
tables = json.load(sys.stdin)
print(*tables)
print(*(stage['name'] for stage in tables['stages']))
print(*(method['name'] for method in tables['methods']))
options = {stage['name'] + '.' + option['name']: option for stage in tables['stages'] for option in stage['options']}
print(*options['grow.max-depth'].items(), sep='\n')
print(options['prune.folds']['only_with'], options['prune.folds']['python'], options['prune.rule']['choices'])
print(options['grow.cut-at']['aliases'], options['grow.search']['needs'])
print(tables['methods'][0]['stages'][1]['options']['alpha'])
print(*(f"{stage['name']} {rule['when']}: {rule['unseen_rows']} {rule['breaks_monotone']}" for stage in tables['stages'] for rule in stage['traits'] if stage['name'] in ('prune', 'soften')), sep='\n')
