"""Runs cells in a stock IPython kernel and reports the values of their expressions.

stdin has a list of `{code, silent, expressions}`, stdout a list of values by name, each `{data}` or `{error: [name, message]}`.
"""

import json
import sys

from jupyter_client.manager import start_new_kernel


def main():
    manager, client = start_new_kernel()
    try:
        print(json.dumps([_values(client, cell) for cell in json.load(sys.stdin)]))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _values(client, cell):
    reply = client.execute_interactive(
        cell['code'],
        store_history=not cell['silent'],
        user_expressions=cell['expressions'],
        output_hook=lambda _message: None,
        timeout=120,
    )
    values = reply['content'].get('user_expressions', {})
    return {name: _value(value) for name, value in values.items()}


def _value(value):
    if value['status'] == 'ok':
        return {'data': value['data']}
    return {'error': [value['ename'], value['evalue']]}


if __name__ == '__main__':
    main()
