"""Makes documents of office programs: python-docx, python-pptx, openpyxl, xlsxwriter, odfpy, LibreOffice, pandoc, abiword."""
import datetime
import io
import json
import os
import subprocess
import tempfile

import docx
import openpyxl
import pptx
import xlsxwriter
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from common import ROOT, expect, put, table, to_html
from texts import TEXTS


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)


def convert(html, target, source='html', extra=()):
    """Converts by LibreOffice and returns the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f'a.{source}')
        with open(path, 'wb') as file:
            file.write(html if isinstance(html, bytes) else html.encode('utf-8'))
        run('soffice', '--headless', *extra, '--convert-to', target, '--outdir', folder, path)
        with open(os.path.join(folder, 'a.' + target.split(':')[0]), 'rb') as file:
            return file.read()


def pandoc(html, target):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a.html')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(html)
        out = os.path.join(folder, 'a.' + target)
        run('pandoc', '-f', 'html', '-s', path, '-o', out)
        with open(out, 'rb') as file:
            return file.read()


def abiword(html, target):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a.html')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(html)
        out = os.path.join(folder, 'b.' + target)
        run('abiword', '--to=' + target, '--to-name=' + out, path)
        with open(out, 'rb') as file:
            return file.read()


def to_bytes(document):
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def write_docx(body):
    document = docx.Document()
    for number, item in enumerate(body):
        if item[0] == 'h':
            document.add_heading(item[1], 1 if number == 0 else 2)
        elif item[0] == 'p':
            document.add_paragraph(item[1])
        else:
            rows = [item[1], *item[2]]
            grid = document.add_table(len(rows), len(item[1]))
            for y, row in enumerate(rows):
                for x, value in enumerate(row):
                    grid.cell(y, x).text = value
    return document


def simple_word():
    for name in ['en-contract', 'de-minutes', 'zh-minutes', 'ar-notice', 'hi-circular', 'ja-minutes', 'vi-price']:
        body = TEXTS[name]
        put(f'docx/{name}.docx', to_bytes(write_docx(body)), name[:2], 'Made by python-docx.', expect(body))
    for name in ['fr-letter', 'ru-contract', 'th-notice']:
        body = TEXTS[name]
        data = convert(to_html(body, name[:2]), 'docx:MS Word 2007 XML', extra=['--writer'])
        put(f'docx/{name}-lo.docx', data, name[:2], 'Made by LibreOffice from HTML.', expect(body))
    for name in ['es-invoice', 'el-invoice']:
        body = TEXTS[name]
        put(f'docx/{name}-pandoc.docx', pandoc(to_html(body, name[:2], title=False), 'docx'), name[:2], 'Made by pandoc.', expect(body))
    for name, target, maker in [
        ('de-rental', 'odt', 'lo'), ('ko-notice', 'odt', 'lo'), ('he-letter', 'odt', 'lo'), ('cs-notice', 'odt', 'pandoc'),
        ('es-minutes', 'odt', 'abiword'), ('pt-form', 'rtf', 'lo'), ('pl-order', 'rtf', 'lo'), ('ru-memo', 'rtf', 'pandoc'),
        ('zh-contract', 'rtf', 'lo'), ('sv-report', 'rtf', 'abiword'), ('en-manual', 'rtf', 'pandoc'),
    ]:
        body = TEXTS[name]
        html = to_html(body, name[:2])
        if maker == 'lo':
            data = convert(html, 'odt' if target == 'odt' else 'rtf:Rich Text Format', extra=['--writer'])
        else:
            data = pandoc(to_html(body, name[:2], title=False), target) if maker == 'pandoc' else abiword(html.replace('<head>', '<head><meta charset="utf-8">'), target)
        title = {'lo': 'LibreOffice', 'pandoc': 'pandoc', 'abiword': 'AbiWord'}[maker]
        put(f'{target}/{name}-{maker}.{target}', data, name[:2], f'Made by {title} from HTML.', expect(body))


def merged_word():
    document = docx.Document()
    document.add_paragraph('Staff on duty in the week of 6 July')
    grid = document.add_table(5, 3)
    for y, row in enumerate([['Dept', 'Name', 'Pay'], ['Harbour', 'Ann', '51'], ['', 'Bob', '67'], ['', 'Cleo', '58'], ['Depot', 'Dan', '49']]):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(1, 0).merge(grid.cell(3, 0))
    put('docx/merged-rows.docx', to_bytes(document), 'en', 'A cell covers three rows.',
        ['Staff on duty in the week of 6 July',
         table(['Dept', 'Name', 'Pay'], [['Harbour', 'Ann', '51'], ['^', 'Bob', '67'], ['^', 'Cleo', '58'], ['Depot', 'Dan', '49']])])

    document = docx.Document()
    document.add_heading('Fahrpreise', 1)
    grid = document.add_table(4, 4)
    rows = [['Strecke', 'Fahrpreis', '', 'Dauer'], ['', 'Erwachsene', 'Kinder', ''], ['Ostrava–Brünn', '12,50 €', '6,20 €', '1:40'], ['Brünn–Wien', '19,90 €', '9,90 €', '1:25']]
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(0, 1).merge(grid.cell(0, 2))
    grid.cell(0, 0).merge(grid.cell(1, 0))
    grid.cell(0, 3).merge(grid.cell(1, 3))
    for row in grid.rows[:2]:
        row._tr.get_or_add_trPr().append(OxmlElement('w:tblHeader'))
    put('docx/merged-heads.docx', to_bytes(document), 'de', 'A head of two rows, of which one cell covers two columns.',
        ['Fahrpreise', table(['Strecke', 'Fahrpreis › Erwachsene', 'Fahrpreis › Kinder', 'Dauer'],
                             [['Ostrava–Brünn', '12,50 €', '6,20 €', '1:40'], ['Brünn–Wien', '19,90 €', '9,90 €', '1:25']])])

    document = docx.Document()
    document.add_heading('外来診療担当表', 1)
    grid = document.add_table(4, 4)
    rows = [['診療科', '時間', '月', '火'], ['内科', '午前', '山口', '木村'], ['', '午後', '休診', ''], ['外科', '午前', '林', '清水']]
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(1, 0).merge(grid.cell(2, 0))
    grid.cell(2, 2).merge(grid.cell(2, 3))
    put('docx/merged-both.docx', to_bytes(document), 'ja', 'Cells cover rows and columns.',
        ['外来診療担当表', table(['診療科', '時間', '月', '火'], [['内科', '午前', '山口', '木村'], ['^', '午後', '休診', '<'], ['外科', '午前', '林', '清水']])])


def special_word():
    ns = nsdecls('w')
    document = docx.Document()
    for xml in [
        f'<w:p {ns}><w:r><w:t xml:space="preserve">Contract number </w:t></w:r><w:fldSimple w:instr=" DOCPROPERTY Number "><w:r><w:t>KV-4711</w:t></w:r></w:fldSimple><w:r><w:t xml:space="preserve"> of the buyer.</w:t></w:r></w:p>',
        f'<w:p {ns}><w:r><w:t xml:space="preserve">Signed on </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> DATE \\@ "d MMMM yyyy" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>9 June 2026</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> in Rotterdam.</w:t></w:r></w:p>',
        f'<w:p {ns}><w:r><w:t xml:space="preserve">See clause </w:t></w:r><w:fldSimple w:instr=" REF _Ref12 \\h "><w:r><w:t>12.4</w:t></w:r></w:fldSimple><w:r><w:t xml:space="preserve"> and the </w:t></w:r><w:sdt><w:sdtContent><w:r><w:t>customs tariff</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>.</w:t></w:r></w:p>',
    ]:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(xml))
    put('docx/fields.docx', to_bytes(document), 'en', 'Values of simple and complex fields, and of a content control.',
        ['Contract number KV-4711 of the buyer.', 'Signed on 9 June 2026 in Rotterdam.', 'See clause 12.4 and the customs tariff.'])

    document = docx.Document()
    xml = f'''<w:p {ns}><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>かいじょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>会場</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>は</w:t></w:r><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>です。受付は九時に始まります。</w:t></w:r></w:p>'''
    document.element.body.insert(0, parse_xml(xml))
    put('docx/ruby.docx', to_bytes(document), 'ja', 'Phonetic guides: the words that they are above must be read.',
        ['会場は東京です。受付は九時に始まります。'], optional=['かいじょう', 'とうきょう'])

    document = docx.Document()
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    xml = f'''<w:p {ns} {math}><w:r><w:t xml:space="preserve">The load follows </w:t></w:r><m:oMath><m:r><m:t>F</m:t></m:r><m:r><m:t>=</m:t></m:r><m:f><m:num><m:r><m:t>mass</m:t></m:r></m:num><m:den><m:r><m:t>area</m:t></m:r></m:den></m:f></m:oMath><w:r><w:t xml:space="preserve"> and must stay below 40 kN.</w:t></w:r></w:p>'''
    document.element.body.insert(0, parse_xml(xml))
    put('docx/equation.docx', to_bytes(document), 'en', 'An equation within a sentence.',
        ['The load follows F mass area and must stay below 40 kN.'])

    document = docx.Document()
    author = 'w:author="Lea" w:date="2026-03-01T09:00:00Z"'
    xml = f'''<w:p {ns}><w:r><w:t xml:space="preserve">Die Lieferung erfolgt </w:t></w:r><w:del w:id="1" {author}><w:r><w:delText xml:space="preserve">binnen acht Wochen</w:delText></w:r></w:del><w:ins w:id="2" {author}><w:r><w:t xml:space="preserve">bis zum 30. September</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> frei Haus.</w:t></w:r></w:p>'''
    document.element.body.insert(0, parse_xml(xml))
    moved = f'''<w:p {ns}><w:moveFrom w:id="3" {author}><w:r><w:t>Verschobener Absatz.</w:t></w:r></w:moveFrom></w:p>'''
    document.element.body.insert(1, parse_xml(moved))
    document.element.body.insert(2, parse_xml(f'<w:p {ns}><w:r><w:t>Es gilt deutsches Recht.</w:t></w:r></w:p>'))
    document.element.body.insert(3, parse_xml(moved.replace('moveFrom', 'moveTo').replace('"3"', '"4"')))
    put('docx/tracked.docx', to_bytes(document), 'de', 'Tracked changes: the text as it will read.',
        ['Die Lieferung erfolgt bis zum 30. September frei Haus.', 'Es gilt deutsches Recht.', 'Verschobener Absatz.'])

    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = 'Reg. no. HB-20418 – confidential'
    section.footer.paragraphs[0].text = 'Bank account NL18 TEST 0417 1643 00'
    document.add_heading('Framework agreement', 1)
    document.add_paragraph('The parties agree on the delivery of coal dust filters as listed in Annex 2.')
    put('docx/head-and-foot.docx', to_bytes(document), 'en', 'The head and the foot of the page have facts of their own.',
        ['Framework agreement', 'The parties agree on the delivery of coal dust filters as listed in Annex 2.'],
        anywhere=['Reg. no. HB-20418 – confidential', 'Bank account NL18 TEST 0417 1643 00'])

    document = docx.Document()
    document.add_heading('Lista contrôlada', 1)
    for text in ['Conferir os lacres', 'Pesar o contêiner', 'Assinar a guia']:
        document.add_paragraph(text, style='List Number')
    for text in ['Luvas', 'Capacete']:
        document.add_paragraph(text, style='List Bullet')
    paragraph = document.add_paragraph('Ver ')
    paragraph.add_run('instru').bold = True
    paragraph.add_run('ções').italic = True
    paragraph.add_run('\tna página\nseguinte.')
    put('docx/lists.docx', to_bytes(document), 'pt', 'Lists, and words whose letters have different types.',
        ['Lista contrôlada', 'Conferir os lacres', 'Pesar o contêiner', 'Assinar a guia', 'Luvas', 'Capacete', 'Ver instruções na página seguinte.'],
        optional=['1 2 3'])

    document = docx.Document()
    document.add_paragraph('Site plan')
    box = f'''<w:p {ns} xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="2000000" cy="600000"/><wp:docPr id="7" name="Box"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:spPr/><wps:txbx><w:txbxContent><w:p><w:r><w:t>Gate closes at 18:45</w:t></w:r></w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>Gate closes at 18:45</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>'''
    document.element.body.insert(1, parse_xml(box))
    document.add_paragraph('Lorries turn left behind the weighbridge.')
    put('docx/text-box.docx', to_bytes(document), 'en', 'A text box, which the file has twice: for new and old programs.',
        ['Site plan', 'Lorries turn left behind the weighbridge.'], anywhere=['Gate closes at 18:45'])

    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/a.md', 'w', encoding='utf-8') as file:
            file.write('# Tariff\n\nThe tariff applies to islands[^1] and to lighthouses.\n\n[^1]: Except Texel, which has a bridge of its own.\n')
        run('pandoc', f'{folder}/a.md', '-o', f'{folder}/a.docx')
        run('pandoc', f'{folder}/a.md', '-o', f'{folder}/a.odt')
        run('pandoc', '-s', f'{folder}/a.md', '-o', f'{folder}/a.rtf')
        for kind in ['docx', 'odt', 'rtf']:
            with open(f'{folder}/a.{kind}', 'rb') as file:
                put(f'{kind}/footnote.{kind}', file.read(), 'en', 'A footnote, made by pandoc.',
                    ['Tariff', 'The tariff applies to islands and to lighthouses.'],
                    anywhere=['Except Texel, which has a bridge of its own.'], optional=['1 1'])


def nested_word():
    document = docx.Document()
    document.add_paragraph('Formulaire de demande')
    grid = document.add_table(3, 2)
    for y, row in enumerate([['Nom', 'Prénom'], ['', ''], ['', '']]):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    document.add_paragraph('À remplir en majuscules.')
    put('docx/empty-form.docx', to_bytes(document), 'fr', 'The heads of an empty table.',
        ['Formulaire de demande', 'Nom Prénom', 'À remplir en majuscules.'])


def slides():
    for name in ['en-minutes', 'fr-manual', 'tw-price', 'ko-contract', 'uk-schedule', 'pt-form']:
        body = TEXTS[name]
        deck = pptx.Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = body[0][1]
        prose = [item[1] for item in body[1:] if item[0] != 't']
        frame = slide.placeholders[1].text_frame
        frame.text = prose[0]
        for text in prose[1:]:
            frame.add_paragraph().text = text
        text = [body[0][1], *prose]
        grids = [item for item in body if item[0] == 't']
        if grids:
            slide = deck.slides.add_slide(deck.slide_layouts[6])
            rows = [grids[0][1], *grids[0][2]]
            grid = slide.shapes.add_table(len(rows), len(rows[0]), Inches(1), Inches(1), Inches(8), Inches(3)).table
            for y, row in enumerate(rows):
                for x, value in enumerate(row):
                    grid.cell(y, x).text = value
            text.append(table(grids[0][1], grids[0][2]))
        slide.notes_slide.notes_text_frame.text = 'Note 7: ' + prose[0]
        text.append('Note 7: ' + prose[0])
        put(f'pptx/{name}.pptx', to_bytes(deck), name[:2], 'Made by python-pptx, with notes.', text, pages=2 if grids else 1)

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = 'Umsatz je Standort'
    data = CategoryChartData()
    data.categories = ['Kiel', 'Lübeck', 'Stralsund']
    data.add_series('Erstes Halbjahr', (412, 287, 156))
    data.add_series('Zweites Halbjahr', (398, 301, 174))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(7), Inches(4), data)
    put('pptx/chart.pptx', to_bytes(deck), 'de', 'The words and numbers of a chart.', ['Umsatz je Standort'],
        anywhere=['Kiel Lübeck Stralsund', 'Erstes Halbjahr 412 287 156', 'Zweites Halbjahr 398 301 174'],
        optional=['Erstes Zweites Halbjahr Halbjahr Halbjahr Kiel Lübeck Stralsund'], pages=1)

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    rows = [['Line', 'Morning', '', 'Evening'], ['Red', '7:05', '7:35', '18:10'], ['', '8:05', '8:35', '19:10'], ['Blue', '6:50', '7:20', '17:55']]
    grid = slide.shapes.add_table(4, 4, Inches(1), Inches(1), Inches(8), Inches(3)).table
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(0, 1).merge(grid.cell(0, 2))
    grid.cell(1, 0).merge(grid.cell(2, 0))
    put('pptx/merged.pptx', to_bytes(deck), 'en', 'A table whose head covers two columns, and a cell two rows.',
        [table(['Line', 'Morning', 'Morning', 'Evening'], [['Red', '7:05', '7:35', '18:10'], ['^', '8:05', '8:35', '19:10'], ['Blue', '6:50', '7:20', '17:55']])], pages=1)

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    for number, text in enumerate(['Zgłoszenie', 'Weryfikacja', 'Zatwierdzenie dyrektora']):
        shape = group.shapes.add_textbox(Inches(1 + 2 * number), Inches(1), Inches(2), Inches(1))
        shape.text_frame.text = text
    put('pptx/group.pptx', to_bytes(deck), 'pl', 'Text boxes within a group.', ['Zgłoszenie', 'Weryfikacja', 'Zatwierdzenie dyrektora'], pages=1)


def book(rows, title='Sheet1', widths=(), formats=None):
    """Makes a workbook by openpyxl."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for reference, code in (formats or {}).items():
        for row in sheet[reference] if ':' in reference else ((sheet[reference],),):
            for cell in row:
                cell.number_format = code
    return workbook


def workbooks():
    for name in ['de-rental', 'es-invoice', 'ru-contract', 'zh-minutes', 'th-notice', 'ar-table']:
        body = TEXTS.get(name) or [('h', 'كشف الرواتب'), ('t', ['الاسم', 'القسم', 'الراتب'], [['ليلى', 'المحاسبة', '4200'], ['سامي', 'النقل', '3900']])]
        grid = next(item for item in body if item[0] == 't')
        sheet = body[0][1].replace('/', ' ')[:25]
        put(f'xlsx/{name}.xlsx', to_bytes(book([grid[1], *grid[2]], sheet)), name[:2], 'Made by openpyxl, of texts alone.',
            [sheet, table(grid[1], grid[2])])

    rows = [['Price list, valid from 1 May 2026'], [], ['Item', 'Unit price', 'Discount', 'In stock since'],
            ['Hinge', 19.99, 0.0617, datetime.date(2026, 3, 14)], ['Bracket', 1234.5, 0.125, datetime.date(2025, 12, 1)], ['Bolt', 0.0849, 0.5, datetime.date(2024, 2, 29)]]
    workbook = book(rows, 'Prices', formats={'B4:B6': '#,##0.00', 'C4:C6': '0.00%', 'D4:D6': 'yyyy-mm-dd'})
    workbook.active.merge_cells('A1:D1')
    put('xlsx/numbers.xlsx', to_bytes(workbook), 'en', 'A title above the table; numbers, percents and dates as they are shown.',
        ['Prices', 'Price list, valid from 1 May 2026',
         table(['Item', 'Unit price', 'Discount', 'In stock since'],
               [['Hinge', '19.99', '6.17%', '2026-03-14'], ['Bracket', '1,234.50', '12.50%', '2025-12-01'], ['Bolt', '0.08', '50.00%', '2024-02-29']])])

    workbook = book([['Dept', 'Name', 'Pay'], ['Harbour', 'Ann', 51], [None, 'Bob', 67], ['Depot', 'Cleo', 58]], 'Staff')
    workbook.active.merge_cells('A2:A3')
    put('xlsx/merged-rows.xlsx', to_bytes(workbook), 'en', 'A cell covers two rows.',
        ['Staff', table(['Dept', 'Name', 'Pay'], [['Harbour', 'Ann', '51'], ['^', 'Bob', '67'], ['Depot', 'Cleo', '58']])])

    workbook = book([['Район', 'Первое полугодие', None, 'Итого'], [None, 'план', 'факт', None], ['Северный', 120, 117, 237], ['Южный', 95, 101, 196]], 'Планы')
    for reference in ['B1:C1', 'A1:A2', 'D1:D2']:
        workbook.active.merge_cells(reference)
    put('xlsx/merged-heads.xlsx', to_bytes(workbook), 'ru', 'A head of two rows, of which one cell covers two columns.',
        ['Планы', table(['Район', 'Первое полугодие › план', 'Первое полугодие › факт', 'Итого'], [['Северный', '120', '117', '237'], ['Южный', '95', '101', '196']])])

    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer)
    sheet = workbook.add_worksheet('Relatório')
    bold = workbook.add_format({'bold': True})
    money = workbook.add_format({'num_format': '[$R$-416] #,##0.00'})
    thousands = workbook.add_format({'num_format': '#,##0'})
    fraction = workbook.add_format({'num_format': '# ?/?'})
    date = workbook.add_format({'num_format': 'dd/mm/yyyy'})
    time = workbook.add_format({'num_format': 'hh:mm'})
    for x, value in enumerate(['Produto', 'Receita', 'Unidades', 'Medida', 'Data', 'Hora']):
        sheet.write(0, x, value, bold)
    for y, row in enumerate([('Parafuso', 1899.9, 1250000, 2.5, 46096, 0.375), ('Dobradiça', 75, 8400, 0.75, 46127, 0.6875)], 1):
        for x, (value, form) in enumerate(zip(row, [None, money, thousands, fraction, date, time])):
            sheet.write(y, x, value, form)
    workbook.close()
    put('xlsx/formats.xlsx', buffer.getvalue(), 'pt', 'Currency, thousands, fractions, dates and times as they are shown; made by xlsxwriter.',
        ['Relatório', table(['Produto', 'Receita', 'Unidades', 'Medida', 'Data', 'Hora'],
                            [['Parafuso', 'R$ 1,899.90', '1,250,000', '2 1/2', '15/03/2026', '09:00'], ['Dobradiça', 'R$ 75.00', '8,400', '3/4', '15/04/2026', '16:30']])], same={'2026-03-15': '15/03/2026', '2026-04-15': '15/04/2026'})

    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer)
    sheet = workbook.add_worksheet('Totals')
    for x, value in enumerate(['Month', 'Net', 'Tax', 'Gross']):
        sheet.write(0, x, value)
    for y, (month, net, tax) in enumerate([('January', 100, 21), ('February', 250, 52.5)], 1):
        sheet.write(y, 0, month)
        sheet.write(y, 1, net)
        sheet.write(y, 2, tax)
        sheet.write_formula(y, 3, f'=B{y + 1}+C{y + 1}', None, net + tax)
    hidden = workbook.add_worksheet('Contacts')
    hidden.write_row(0, 0, ['Person', 'Paid'])
    hidden.write(1, 0, 'Ilse')
    hidden.write_boolean(1, 1, True)
    workbook.close()
    put('xlsx/formulas.xlsx', buffer.getvalue(), 'en', 'Values of formulas, a truth value, and two sheets; made by xlsxwriter.',
        ['Totals', table(['Month', 'Net', 'Tax', 'Gross'], [['January', '100', '21', '121'], ['February', '250', '52.5', '302.5']]),
         'Contacts', table(['Person', 'Paid'], [['Ilse', 'TRUE']])])

    html = '<table><tr><th>Miasto</th><th>Ludność</th><th>Udział</th></tr><tr><td>Łódź</td><td>648711</td><td>12%</td></tr><tr><td>Gdańsk</td><td>486345</td><td>9%</td></tr></table>'
    for target in ['xlsx', 'ods']:
        data = convert(html, 'xlsx:Calc MS Excel 2007 XML' if target == 'xlsx' else 'ods', extra=['--infilter=HTML (StarCalc)'])
        put(f'{target}/cities-lo.{target}', data, 'pl', 'Made by LibreOffice from HTML.',
            [table(['Miasto', 'Ludność', 'Udział'], [['Łódź', '648711', '12%'], ['Gdańsk', '486345', '9%']])], optional=['Sheet1 a'])

    for name in ['numbers', 'formats', 'merged-heads', 'formulas']:
        with open(f'{ROOT}/xlsx/{name}.xlsx', 'rb') as file:
            data = convert(file.read(), 'ods', source='xlsx')
        with open(f'{ROOT}/xlsx/{name}.xlsx.json', encoding='utf-8') as file:
            expected = json.load(file)
        put(f'ods/{name}.ods', data, expected['language'], expected['note'].split(';')[0].rstrip('.') + '; made by LibreOffice from a workbook.', expected['text'], same=expected.get('same'))
    for name in ['chart', 'fr-manual', 'pt-form', 'group']:
        with open(f'{ROOT}/pptx/{name}.pptx', 'rb') as file:
            data = convert(file.read(), 'odp', source='pptx')
        with open(f'{ROOT}/pptx/{name}.pptx.json', encoding='utf-8') as file:
            expected = json.load(file)
        put(f'odp/{name}.odp', data, expected['language'], expected['note'].rstrip('.') + ', then by LibreOffice.', expected['text'],
            anywhere=expected.get('anywhere'), optional=expected.get('optional'), pages=expected.get('pages'))


if __name__ == '__main__':
    simple_word()
    merged_word()
    special_word()
    nested_word()
    slides()
    workbooks()
