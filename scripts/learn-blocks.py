"""Learns the table that blocks are judged by: see learn-blocks.js, which calls it. The same rows and version of lightgbm (4.7.0) make the same table."""
import base64, json, math, re, sys
from urllib.parse import urlparse
import lightgbm as lgb
import numpy as np

rows_folder, folder, target = sys.argv[1:]
features = json.load(open(f'{rows_folder}/features.json'))
truth = json.load(open(f'{folder}/truth.json'))
rng = np.random.default_rng(0)
MANUAL = 1.5
ROUNDS = 300
# Forks at random bounds: there are more numbers of a block than thousands of passages, so that the best bound is often one by chance.
PARAMETERS = dict(objective='binary', learning_rate=0.06, num_leaves=10, min_data_in_leaf=20, feature_fraction=0.6, extra_trees=True,
                  bagging_fraction=0.8, bagging_freq=1, lambda_l2=5, verbose=-1, num_threads=1, seed=1, deterministic=True, force_row_wise=True)

fold = lambda text: re.sub(r'\s+', ' ', text or '').strip()
lines = lambda path: (json.loads(line) for line in open(path))
matrix = lambda rows: np.frombuffer(base64.b64decode(rows), dtype='<i2').reshape(-1, len(features)).astype(np.int32)
site_of = lambda url: '.'.join((urlparse(url).netloc if '//' in url else url.split('::')[-1].split('-')[0]).split('.')[-2:])
held_out = {site_of(t['url']) for name, t in truth.items() if int(name[:4]) % 2 == 0} - {'wordpress.com', 'co.uk', 'com.au'}

X, Y, W = [], [], []
for page in lines(f'{rows_folder}/articles.jsonl'):
    said = truth[page['page']]
    # A site that is in both halves is not learned from.
    if site_of(said['url']) in held_out:
        continue
    blocks = [fold(text) for text in page['texts']]
    starts, whole = [], ''
    for text in blocks:
        starts.append(len(whole))
        whole += text + ' '
    label = np.full(len(blocks), -1)
    def places(passage):
        passage, at = fold(passage), -1
        while passage and (at := whole.find(passage, at + 1)) != -1:
            first = int(np.searchsorted(starts, at, 'right')) - 1
            yield range(first, int(np.searchsorted(starts, at + len(passage) - 1, 'right')))
    for passage in said['without']:
        for place in places(passage):
            label[list(place)] = 0
    for passage in said['with']:
        found = list(places(passage))
        if found:
            place = list(max(found, key=lambda each: sum(len(blocks[i]) for i in each)))
            label[place] = 1
    X.append(matrix(page['rows'])), Y.append(label), W.append(np.ones(len(blocks)))
for page in lines(f'{rows_folder}/manuals.jsonl'):
    label = np.array(page['labels'])
    chosen = [rng.permutation(np.where(label == kind)[0])[:60] for kind in (1, 0)]
    chosen = np.concatenate(chosen).astype(int)
    if len(chosen):
        X.append(matrix(page['rows'])[chosen]), Y.append(label[chosen]), W.append(np.full(len(chosen), MANUAL / max(8, len(chosen))))
X, Y, W = np.concatenate(X), np.concatenate(Y), np.concatenate(W)
known = Y >= 0
model = lgb.train(PARAMETERS, lgb.Dataset(X[known], Y[known], weight=W[known]), ROUNDS)

numbers = []
for tree in model.dump_model()['tree_info']:
    start = len(numbers)
    numbers.append(0)
    def add(node):
        if 'split_feature' not in node:
            numbers.extend([-1, round(node['leaf_value'] * 1000)])
            return
        at = len(numbers)
        numbers.extend([node['split_feature'], max(-32768, min(32767, math.floor(node['threshold']))), 0])
        add(node['left_child'])
        numbers[at + 2] = len(numbers)
        add(node['right_child'])
    add(tree['tree_structure'])
    numbers[start] = len(numbers)
rows, row = [], ''
for number in map(str, numbers):
    if len(row) + len(number) >= 150:
        rows.append(row)
        row = ''
    row += (' ' if row else '') + number
rows.append(row)
with open(target, 'w') as file:
    file.write('/** Made by scripts/learn-blocks.py: do not change it by hand. See `scoreOf` for how it is read. */\n')
    file.write('export const TREES: Int16Array = Int16Array.from(\n  (\n')
    file.write(' +\n'.join(f"    '{row}{' ' if i < len(rows) - 1 else ''}'" for i, row in enumerate(rows)))
    file.write("\n  ).split(' '),\n  Number,\n);\n")
print(f'{known.sum()} blocks, {len(numbers)} numbers')
