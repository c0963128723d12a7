"""Prints the text and the tables of documents as python-docx, openpyxl or python-pptx read them."""
import json
import sys


def read_docx(path):
    import docx
    from docx.table import Table
    document = docx.Document(path)
    lines, tables = [], []
    for item in document.iter_inner_content():
        if isinstance(item, Table):
            grid = [[cell.text for cell in row.cells] for row in item.rows]
            tables.append(grid)
            lines += ['\t'.join(row) for row in grid]
        else:
            lines.append(item.text)
    return lines, tables


def read_openpyxl(path):
    import openpyxl
    lines, tables = [], []
    for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
        grid = [['' if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
        tables.append(grid)
        lines += [sheet.title] + ['\t'.join(row) for row in grid]
    return lines, tables


def read_pptx(path):
    import pptx
    lines, tables = [], []
    for slide in pptx.Presentation(path).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                lines.append(shape.text_frame.text)
            if shape.has_table:
                grid = [[cell.text for cell in row.cells] for row in shape.table.rows]
                tables.append(grid)
                lines += ['\t'.join(row) for row in grid]
        if slide.has_notes_slide:
            lines.append(slide.notes_slide.notes_text_frame.text)
    return lines, tables


library, *paths = sys.argv[1:]
read = {'docx': read_docx, 'openpyxl': read_openpyxl, 'pptx': read_pptx}[library]
answer = {}
for path in paths:
    try:
        lines, tables = read(path)
    except Exception:
        # A file that the library refuses counts as one without text.
        lines, tables = [], []
    answer[path] = {'text': '\n'.join(lines), 'tables': tables}
print(json.dumps(answer))
