"""Serves a small language model to tests in two voices: one that ends its answers after a sentence,
one that never ends them.

usage: serve.py WEIGHTS KEY WINDOW

WINDOW is in tokens. Tells the addresses of both voices on one line, and ends when its standard input
does.
"""

import os
import sys

import xllamacpp

# One sentence, however the model feels about it: its length must not depend on the weights.
SENTENCE = 'root ::= [A-Z] [a-z ]{40,80} "."'


def serve(is_endless):
    weights, key, window = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.api_keys = [key]
    params.n_ctx = int(window)
    params.n_parallel = 1
    # More threads wait for each other on a busy machine.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib = 0
    params.endpoint_metrics = True
    params.verbosity = 1
    params.sampling.temp = 0
    params.sampling.seed = 1
    if is_endless:
        params.sampling.ignore_eos = True
    else:
        grammar = xllamacpp.CommonGrammar()
        grammar.type = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
        grammar.grammar = SENTENCE
        params.sampling.grammar = grammar
    return xllamacpp.Server(params)


brief, endless = serve(False), serve(True)
print(brief.listening_address, endless.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
