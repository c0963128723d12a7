"""Writes a document of the corpus beside the text that is expected of it."""
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def put(name, data, language, note, text=None, **fields):
    """Writes `name`, such as `pdf/letter.pdf`, with the paragraphs and tables that were put into it."""
    path = os.path.join(ROOT, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if data is not None:
        with open(path, 'wb') as file:
            file.write(data if isinstance(data, bytes) else data.encode('utf-8'))
    expected = {'language': {'tw': 'zh-TW'}.get(language, language), 'note': note}
    if text is not None:
        expected['text'] = text
    expected.update({key: value for key, value in fields.items() if value is not None})
    with open(path + '.json', 'w', encoding='utf-8') as file:
        json.dump(expected, file, ensure_ascii=False, indent=2)
        file.write('\n')
    return path


def table(heads, rows):
    return {'heads': list(heads), 'rows': [list(row) for row in rows]}


def expect(body, flat=False):
    """Returns the expected text of a body; `flat` has tables as lines, for formats without tables."""
    parts = []
    for item in body:
        if item[0] != 't':
            parts.append(item[1])
        elif flat:
            parts += [' '.join(row) for row in [item[1], *item[2]]]
        else:
            parts.append(table(item[1], item[2]))
    return parts


def to_html(body, lang, style='', head='', title=True):
    out = [f'<!DOCTYPE html>\n<html lang="{lang}"><head>{head}{"<title>" + body[0][1] + "</title>" if title else ""}<style>{style}</style></head><body>']
    first = True
    for item in body:
        if item[0] == 'h':
            out.append(f'<h{1 if first else 2}>{item[1]}</h{1 if first else 2}>')
            first = False
        elif item[0] == 'p':
            out.append(f'<p>{item[1]}</p>')
        else:
            out.append('<table><thead><tr>' + ''.join(f'<th>{c}</th>' for c in item[1]) + '</tr></thead><tbody>')
            out += ['<tr>' + ''.join(f'<td>{c}</td>' for c in row) + '</tr>' for row in item[2]]
            out.append('</tbody></table>')
    return '\n'.join(out + ['</body></html>\n'])


def to_text(body, newline='\n'):
    return (newline * 2).join(expect(body, flat=True)) + newline
