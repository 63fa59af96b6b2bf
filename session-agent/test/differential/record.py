"""Runs the corpus through a stock IPython kernel, and writes its answers to golden/ for the Python that runs this."""

import json
import pathlib
import platform
import re
import sys
from importlib.metadata import version

from jupyter_client.manager import start_new_kernel

cell_seconds_max = 60
own_folder = pathlib.Path(__file__).parent


def record():
    cells = {}
    for path in sorted((own_folder / 'corpus').glob('*.py')):
        cells.update(_answers(path.stem, path.read_text('utf-8')))
        print(path.stem, len(cells))
    kernel = {name: version(name) for name in ('ipykernel', 'ipython', 'numpy', 'pandas')}
    recorded = {'recordedWith': {'python': platform.python_version(), **kernel}, 'cells': cells}
    target = own_folder / 'golden' / ('python-%d.%d.json' % sys.version_info[:2])
    target.write_text(json.dumps(recorded, indent=2, ensure_ascii=False) + '\n', 'utf-8')


def _answers(subject, text):
    """Returns the answers to a file's cells by `subject: title`. The cells run in one kernel, one after the other."""
    manager, client = start_new_kernel(cwd='/tmp')
    try:
        for block in re.split(r'^# %% ', text, flags=re.MULTILINE)[1:]:
            title, _, code = block.partition('\n')
            yield '%s: %s' % (subject, title.partition(' [')[0]), _run(client, code.removesuffix('\n'))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _run(client, code):
    answer = {'status': 'succeeded'}
    names = {'display_data': 'displayed', 'update_display_data': 'displayed'}

    def note(message):
        kind, content = message['msg_type'], message['content']
        if kind == 'stream':
            answer[content['name']] = answer.get(content['name'], '') + content['text']
        elif kind == 'execute_result':
            answer['shown'] = _bundle(content['data'])
        elif kind in names:
            answer.setdefault(names[kind], []).append(_bundle(content['data']))
        elif kind == 'error':
            answer['error'] = {'name': content['ename'], 'message': _neutral(content['evalue'])}

    reply = client.execute_interactive(code, allow_stdin=False, timeout=cell_seconds_max, output_hook=note)
    if reply['content']['status'] != 'ok':
        answer['status'] = 'failed'
    for stream in ('stdout', 'stderr'):
        if stream in answer:
            answer[stream] = _neutral(answer[stream])
    return answer


def _bundle(data):
    return {'text': _neutral(data.get('text/plain')), 'types': sorted(data)}


def _neutral(text):
    """Removes the differences between any two kernels: addresses, names of cells and folders, and an empty line after help in some 3.11."""
    if text is None:
        return None
    text = text.replace(sys.prefix, '<environment>')
    text = re.sub(r'0x[0-9a-f]{6,}', '0x…', text, flags=re.IGNORECASE)
    text = text.replace('for help on the str class.\n\n', 'for help on the str class.\n')
    return re.sub(r'(/tmp/ipykernel_\d+/)?\b\d+\.py\b', '<cell>', text)


if __name__ == '__main__':
    record()
