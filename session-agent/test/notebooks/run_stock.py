"""Runs cells in stock IPython kernels and reports what a front end sees.

Each line of stdin is a run, as `Run` in run.ts describes it. It gets a kernel of its own. Each line of stdout has a list of the answers to
its cells, which are fewer than the cells if one ended the kernel or took too long.
"""

import json
import sys

from jupyter_client.manager import start_new_kernel

displays = {'execute_result': 'shown', 'display_data': 'displayed', 'update_display_data': 'updated'}


def main():
    for line in sys.stdin:
        print(json.dumps(list(_answers(json.loads(line)))), flush=True)


def _answers(run):
    manager, client = start_new_kernel(cwd=run['cwd'], env=run['variables'])
    try:
        for code in run['cells']:
            answer = _answer(client, code, run)
            if answer is None or not manager.is_alive():
                return
            yield answer
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _answer(client, code, run):
    outputs = []
    typed = list(run['typed'])

    def note(message):
        kind, content = message['msg_type'], message['content']
        if kind == 'stream':
            outputs.append({'stream': content['name'], 'text': content['text']})
        elif kind in displays:
            outputs.append({'kind': displays[kind], 'data': content['data']})
        elif kind == 'error':
            outputs.append({'kind': 'error', 'name': content['ename'], 'message': content['evalue']})

    def ask(message):
        outputs.append({'kind': 'asked', 'prompt': message['content']['prompt']})
        client.input(typed.pop(0) if len(typed) > 1 else typed[0])

    try:
        reply = client.execute_interactive(
            code, allow_stdin=True, stdin_hook=ask, output_hook=note, timeout=run['secondsMax']
        )
    except (TimeoutError, RuntimeError):
        return None
    # A front end also shows a pager's text and the text for the next cell.
    for payload in reply['content'].get('payload', []):
        if payload['source'] == 'page':
            outputs.append({'kind': 'displayed', 'data': payload['data']})
        elif payload['source'] == 'set_next_input':
            outputs.append({'kind': 'displayed', 'data': {'text/plain': payload['text']}})
    return {'succeeded': reply['content']['status'] == 'ok', 'outputs': outputs}


if __name__ == '__main__':
    main()
