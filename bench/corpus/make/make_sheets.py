"""Makes workbooks and presentations with the features that are hard to read."""
import datetime
import io
import json
import re
import zipfile

import pptx
import xlsxwriter
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from common import ROOT, put, table
from make_office import book, convert, to_bytes


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def change(data, edits, more=()):
    """Edits files of an archive by functions."""
    files = {}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            content = file.read(name)
            for pattern, edit in edits.items():
                if re.fullmatch(pattern, name):
                    content = edit(content.decode('utf-8')).encode('utf-8')
            files[name] = content
    return zipped({**files, **dict(more)})


def formatted(title, heads, columns, rows, language, note, name, **options):
    """Makes a workbook of xlsxwriter; `columns` are number formats, and a cell is a pair of value and shown text."""
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer, options)
    sheet = workbook.add_worksheet(title)
    formats = [workbook.add_format({'num_format': code}) if code else None for code in columns]
    sheet.write_row(0, 0, heads)
    for y, row in enumerate(rows, 1):
        for x, cell in enumerate(row):
            sheet.write(y, x, cell[0] if isinstance(cell, tuple) else cell, formats[x])
    workbook.close()
    put(f'xlsx/{name}.xlsx', buffer.getvalue(), language, note,
        [title, table(heads, [[cell[1] if isinstance(cell, tuple) else cell for cell in row] for row in rows])], same=same_dates(rows))


def same_dates(rows):
    """Returns the dates of cells in the form of ISO 8601, each with the text that is shown."""
    dates = [cell for row in rows for cell in row if isinstance(cell, tuple) and isinstance(cell[0], datetime.datetime)]
    return {value.strftime('%Y-%m-%d'): shown for value, shown in dates if value.strftime('%Y-%m-%d') != shown} or None


def number_formats():
    formatted('Konten', ['Konto', 'Saldo', 'Quote', 'Stand'], [None, '#,##0.00;(#,##0.00)', '0.0%', 'dd.mm.yyyy'],
              [['Kasse', (-1250.5, '(1,250.50)'), (0.075, '7.5%'), (datetime.datetime(2026, 3, 31), '31.03.2026')], ['Bank', (88000, '88,000.00'), (0.925, '92.5%'), (datetime.datetime(2026, 4, 1), '01.04.2026')]],
              'de', 'Negative numbers in parentheses, percents and dates as they are shown; made by xlsxwriter.', 'negative')
    formatted('Codes', ['Branch', 'Postcode', 'Article', 'Ratio'], [None, '00000', '"No. "0', '0.00E+00'],
              [['Harwich', (1234, '01234'), (17, 'No. 17'), (123456, '1.23E+05')], ['Poole', (560, '00560'), (4, 'No. 4'), (0.00042, '4.20E-04')]],
              'en', 'Leading zeros, a text in the format, and powers of ten; made by xlsxwriter.', 'codes')
    formatted('出勤表', ['姓名', '日期', '工时', '津贴'], [None, 'yyyy"年"m"月"d"日"', '[h]:mm', '"¥"#,##0.00'],
              [['王芳', (datetime.datetime(2026, 5, 4), '2026年5月4日'), (1.5625, '37:30'), (1200, '¥1,200.00')], ['刘洋', (datetime.datetime(2026, 5, 11), '2026年5月11日'), (1.75, '42:00'), (980.5, '¥980.50')]],
              'zh', 'Chinese dates, hours beyond a day, and a currency; made by xlsxwriter.', 'hours')
    formatted('Livraisons', ['Client', 'Livré le', 'Montant', 'Délai'], [None, 'd mmm yyyy', '#,##0.00 "€"', '0" jours"'],
              [['Dupuis', (datetime.datetime(2026, 2, 9), '9 Feb 2026'), (1450, '1,450.00 €'), (12, '12 jours')], ['Morel', (datetime.datetime(2026, 11, 23), '23 Nov 2026'), (89.9, '89.90 €'), (3, '3 jours')]],
              'fr', 'Names of months, and units after numbers; made by xlsxwriter.', 'units')
    formatted('Old', ['Event', 'Day'], [None, 'yyyy-mm-dd'], [['First', (31, '1900-01-31')], ['Second', (59, '1900-02-28')], ['Third', (61, '1900-03-01')]],
              'en', 'Days before March 1900.', 'early-days')
    formatted('Mac', ['Event', 'Day'], [None, 'yyyy-mm-dd'], [['Launch', (datetime.datetime(2026, 6, 9), '2026-06-09')], ['Review', (datetime.datetime(2027, 1, 15), '2027-01-15')]],
              'en', 'Days count from 1904.', 'from-1904', date_1904=True)
    formatted('Tails', ['Item', 'Net', 'Rate'], [None, None, '0.00%'], [['Rope', (6.66 * 3, '19.98'), (0.1 + 0.2, '30.00%')], ['Tar', (0.1 + 0.2, '0.3'), (6.1699999999999998e-2, '6.17%')], ['Oakum', (1234567, '1234567'), (1, '100.00%')]],
              'en', 'Numbers whose stored digits have a tail.', 'tails')


def sheets():
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer)
    sheet = workbook.add_worksheet('Bestand')
    sheet.merge_range('A1:D1', 'Lagerbestand zum 30. Juni', workbook.add_format({'bold': True}))
    sheet.write('A2', 'Alle Angaben in Stück')
    sheet.write_row('A4', ['Regal', 'Ware', 'Menge', 'Prüfer'])
    for y, row in enumerate([('A', 'Schellen', 40, 'Öz'), ('B', 'Muffen', 12, 'Ruß'), ('C', 'Bögen', 7, 'Öz')], 4):
        sheet.write_row(y, 0, row)
    sheet.write('A9', 'Geprüft am 2. Juli')
    workbook.close()
    put('xlsx/titles.xlsx', buffer.getvalue(), 'de', 'Two title rows above the table, and a line below it; made by xlsxwriter.',
        ['Bestand', 'Lagerbestand zum 30. Juni', 'Alle Angaben in Stück', table(['Regal', 'Ware', 'Menge', 'Prüfer'], [['A', 'Schellen', '40', 'Öz'], ['B', 'Muffen', '12', 'Ruß'], ['C', 'Bögen', '7', 'Öz']]), 'Geprüft am 2. Juli'],
        optional=['Regal'])

    workbook = book([[], [], [None, None, 'Pallet', 'Weight'], [None, None, 'K-11', 412], [None, None, 'K-12', 388]], 'Offset')
    put('xlsx/offset.xlsx', to_bytes(workbook), 'en', 'The table begins in the third row and column.', ['Offset', table(['Pallet', 'Weight'], [['K-11', '412'], ['K-12', '388']])])

    workbook = book([['Nome', 'Morada', 'NIF', 'Assinatura']], 'Inscrição')
    put('xlsx/heads-only.xlsx', to_bytes(workbook), 'pt', 'A form: heads without values.', ['Inscrição', 'Nome Morada NIF Assinatura'])

    workbook = book([['Imię', 'Telefon', 'Uwagi'], ['Żaneta', '601 555 010', None], ['Łukasz', '601 555 011', None]], 'Dyżury')
    put('xlsx/empty-column.xlsx', to_bytes(workbook), 'pl', 'A column has a head and no values.', ['Dyżury', table(['Imię', 'Telefon', 'Uwagi'], [['Żaneta', '601 555 010', ''], ['Łukasz', '601 555 011', '']])])

    workbook = book([['Regio', 'Q1', None, 'Q2', None], [None, 'omzet', 'kosten', 'omzet', 'kosten'], ['Noord', 10, 7, 12, 8], [None, 3, 2, 4, 2], ['Zuid', 9, 6, 11, 5]], 'Kwartaal')
    for reference in ['A1:A2', 'B1:C1', 'D1:E1', 'A3:A4']:
        workbook.active.merge_cells(reference)
    put('xlsx/quarters.xlsx', to_bytes(workbook), 'nl', 'A head of two rows over pairs of columns, and a cell that covers two rows.',
        ['Kwartaal', table(['Regio', 'Q1 › omzet', 'Q1 › kosten', 'Q2 › omzet', 'Q2 › kosten'], [['Noord', '10', '7', '12', '8'], ['^', '3', '2', '4', '2'], ['Zuid', '9', '6', '11', '5']])])

    workbook = book([['Projet', 'Budget', 'Écart'], ['Toiture', 42000, '#DIV/0!'], ['Façade', 18500, '#N/A']], 'Suivi')
    for reference in ['C2', 'C3']:
        workbook.active[reference].data_type = 'e'
    from openpyxl.comments import Comment
    workbook.active['B2'].comment = Comment('Devis du maçon joint', 'Luc')
    put('xlsx/errors.xlsx', to_bytes(workbook), 'fr', 'Errors of formulas, and a comment on a cell.', ['Suivi', table(['Projet', 'Budget', 'Écart'], [['Toiture', '42000', '#DIV/0!'], ['Façade', '18500', '#N/A']])],
        optional=['Comment Note Luc Devis du maçon joint'])

    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rich = zipped({
        '[Content_Types].xml': '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/one.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
        '_rels/.rels': '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        'xl/workbook.xml': f'<workbook {main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="名簿" sheetId="1" r:id="a"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/one.xml"/><Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        'xl/sharedStrings.xml': f'<sst {main}><si><t>氏名</t><rPh sb="0" eb="2"><t>シメイ</t></rPh></si><si><r><t>東</t></r><r><rPr><b/></rPr><t>京都</t></r></si></sst>',
        'xl/worksheets/one.xml': f'<worksheet {main}><sheetData><row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>所在地</t></is></c><c t="inlineStr"><is><t>面積</t></is></c></row><row><c t="inlineStr"><is><r><t>山田</t></r><r><t xml:space="preserve"> 花子</t></r></is></c><c t="s"><v>1</v></c><c t="str"><f>A1</f><v>48 坪</v></c></row></sheetData></worksheet>',
    })
    put('xlsx/inline.xlsx', rich, 'ja', 'Texts in cells, texts of several types, phonetic guides, and cells without names; written by hand.', ['名簿', table(['氏名', '所在地', '面積'], [['山田 花子', '東京都', '48 坪']])], optional=['シメイ'])

    strict = lambda text: text.replace('http://schemas.openxmlformats.org/spreadsheetml/2006/main', 'http://purl.oclc.org/ooxml/spreadsheetml/main').replace('http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'http://purl.oclc.org/ooxml/officeDocument/relationships')
    put('xlsx/strict.xlsx', change(rich, {'.*': strict}), 'ja', 'The strict form of the format, with other namespaces.', ['名簿', table(['氏名', '所在地', '面積'], [['山田 花子', '東京都', '48 坪']])], optional=['シメイ'])

    office = 'urn:oasis:names:tc:opendocument:xmlns:'
    content = f'''<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{office}office:1.0" xmlns:table="{office}table:1.0" xmlns:text="{office}text:1.0" office:version="1.2"><office:body><office:spreadsheet><table:table table:name="Plán směn"><table:table-column table:number-columns-repeated="1024"/>
<table:table-row><table:table-cell table:number-columns-spanned="4" office:value-type="string"><text:p>Směny v týdnu 23</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="3"/><table:table-cell table:number-columns-repeated="1020"/></table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Jméno</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Pondělí</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Úterý</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Podíl</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell table:number-rows-spanned="2" office:value-type="string"><text:p>Zdeněk</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2" office:value-type="string"><text:p>ranní</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="0.0617"><text:p>6,17 %</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell office:value-type="string"><text:p>noční</text:p></table:table-cell><table:table-cell/><table:table-cell office:value-type="percentage" office:value="0.5"><text:p>50,00 %</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Růžena</text:p></table:table-cell><table:table-cell office:value-type="string"><office:annotation><text:p>poznámka vedoucí</text:p></office:annotation><text:p>volno<text:s/>od<text:s text:c="2"/>poledne</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="8"><text:p>8</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="1"><text:p>100,00 %</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048569"><table:table-cell table:number-columns-repeated="1024"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>'''
    put('ods/repeated.ods', zipped({'mimetype': 'application/vnd.oasis.opendocument.spreadsheet', 'META-INF/manifest.xml': f'<manifest:manifest xmlns:manifest="{office}manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>', 'content.xml': content}),
        'cs', 'Repeated and covered cells and rows, a title above the table, and a comment; written by hand.',
        ['Plán směn', 'Směny v týdnu 23', table(['Jméno', 'Pondělí', 'Úterý', 'Podíl'], [['Zdeněk', 'ranní', 'ranní', '6,17 %'], ['^', 'noční', '', '50,00 %'], ['Růžena', 'volno od poledne', '8', '100,00 %']])], optional=['Comment Note poznámka vedoucí'])
    for name in ['negative', 'hours', 'titles', 'quarters']:
        with open(f'{ROOT}/xlsx/{name}.xlsx', 'rb') as file:
            data = convert(file.read(), 'ods', source='xlsx')
        with open(f'{ROOT}/xlsx/{name}.xlsx.json', encoding='utf-8') as file:
            expected = json.load(file)
        put(f'ods/{name}.ods', data, expected['language'], expected['note'].split(';')[0].rstrip('.') + '; made by LibreOffice from a workbook.', expected['text'], optional=expected.get('optional'), same=expected.get('same'))


def diagram(nodes, is_drawn):
    """The parts of a diagram: its data, and the drawing that some programs add for others."""
    dgm = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    points = ''.join(f'<dgm:pt modelId="{number}"><dgm:prSet/><dgm:spPr/><dgm:t><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>' for number, text in enumerate(nodes, 1))
    links = ''.join(f'<dgm:cxn modelId="{100 + number}" srcId="0" destId="{number}" srcOrd="{number - 1}" destOrd="0"/>' for number in range(1, len(nodes) + 1))
    data = f'<dgm:dataModel {dgm}><dgm:ptLst><dgm:pt modelId="0" type="doc"><dgm:prSet/><dgm:spPr/><dgm:t><a:bodyPr/><a:p><a:endParaRPr/></a:p></dgm:t></dgm:pt>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst><dgm:bg/><dgm:whole/></dgm:dataModel>'
    shapes = ''.join(f'<dsp:sp modelId="{{{number}}}"><dsp:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dsp:txBody></dsp:sp>' for number, text in enumerate(nodes, 1))
    drawing = f'<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dsp:spTree>{shapes}</dsp:spTree></dsp:drawing>'
    parts = [('ppt/diagrams/data1.xml', data)] + ([('ppt/diagrams/drawing1.xml', drawing)] if is_drawn else [])
    return parts


def smart_art(name, language, title, nodes, is_drawn):
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = title
    kind = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    frame = '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Diagram"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="6000000" cy="3000000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="dg1" r:lo="dg1" r:qs="dg1" r:cs="dg1"/></a:graphicData></a:graphic></p:graphicFrame></p:spTree>'
    rels = f'<Relationship Id="dg1" Type="{kind}/diagramData" Target="../diagrams/data1.xml"/>' + ('<Relationship Id="dg2" Type="http://schemas.microsoft.com/office/2007/relationships/diagramDrawing" Target="../diagrams/drawing1.xml"/>' if is_drawn else '')
    types = '<Override PartName="/ppt/diagrams/data1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"/>' + ('<Override PartName="/ppt/diagrams/drawing1.xml" ContentType="application/vnd.ms-office.drawingml.diagramDrawing+xml"/>' if is_drawn else '')
    data = change(to_bytes(deck), {
        r'ppt/slides/slide1\.xml': lambda text: text.replace('</p:spTree>', frame).replace('<p:sld ', f'<p:sld xmlns:r="{kind}" ', 1) if 'xmlns:r=' not in text else text.replace('</p:spTree>', frame),
        r'ppt/slides/_rels/slide1\.xml\.rels': lambda text: text.replace('</Relationships>', rels + '</Relationships>'),
        r'\[Content_Types\]\.xml': lambda text: text.replace('</Types>', types + '</Types>'),
    }, diagram(nodes, is_drawn))
    put(f'pptx/{name}.pptx', data, language, 'The words of a diagram (SmartArt)' + (', which the file has twice.' if is_drawn else '.'), [title, *nodes], pages=1)


def slides():
    smart_art('smart-art', 'en', 'Recruiting', ['Advertise the post', 'Interview three candidates', 'Check references', 'Send the offer'], True)
    smart_art('smart-art-data', 'ja', '申請の流れ', ['申請書の提出', '課長の承認', '経理部の確認'], False)
    smart_art('smart-art-ru', 'ru', 'Этапы проекта', ['Обследование', 'Проектирование', 'Монтаж', 'Сдача'], True)

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = 'Pannes par atelier'
    data = CategoryChartData()
    data.categories = ['Fonderie', 'Émaillage', 'Expédition']
    data.add_series('Part des pannes', (0.52, 0.31, 0.17))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(2), Inches(7), Inches(4), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = 'Exercice 2025'
    put('pptx/pie.pptx', to_bytes(deck), 'fr', 'A chart with a title of its own.', ['Pannes par atelier'], anywhere=['Exercice 2025', 'Fonderie Émaillage Expédition', 'Part des pannes', '0.52 0.31 0.17'],
        optional=['Part des pannes Part des pannes Part des pannes'], pages=1)

    deck = pptx.Presentation()
    for text in ['Primo', 'Secondo', 'Terzo']:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f'{text} capitolo'
        box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(6), Inches(1))
        box.text_frame.text = f'Il testo del capitolo {text.lower()}.'
    order = deck.slides._sldIdLst
    order.insert(0, order[2])
    put('pptx/order.pptx', to_bytes(deck), 'it', 'Slides in an order other than that of their files.',
        ['Terzo capitolo', 'Il testo del capitolo terzo.', 'Primo capitolo', 'Il testo del capitolo primo.', 'Secondo capitolo', 'Il testo del capitolo secondo.'], pages=3)

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    frame = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(6), Inches(2)).text_frame
    frame.text = 'Kund'
    run = frame.paragraphs[0].add_run()
    run.text = 'tjänst'
    run.font.bold = True
    frame.paragraphs[0].add_line_break()
    frame.paragraphs[0].add_run().text = 'öppet åtta till sexton'
    grid = slide.shapes.add_table(3, 3, Inches(1), Inches(3), Inches(8), Inches(2)).table
    for y, row in enumerate([['Ort', 'Veckodag', 'Helg'], ['Växjö', 'stängt', ''], ['Åmål', '8–16', '10–14']]):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(1, 1).merge(grid.cell(1, 2))
    put('pptx/runs.pptx', to_bytes(deck), 'sv', 'A word of two types, and a cell that covers two columns.', ['Kundtjänst', 'öppet åtta till sexton', table(['Ort', 'Veckodag', 'Helg'], [['Växjö', 'stängt', '<'], ['Åmål', '8–16', '10–14']])], pages=1)
    for name in ['merged', 'runs', 'order', 'pie']:
        with open(f'{ROOT}/pptx/{name}.pptx', 'rb') as file:
            data = convert(file.read(), 'odp', source='pptx')
        with open(f'{ROOT}/pptx/{name}.pptx.json', encoding='utf-8') as file:
            expected = json.load(file)
        put(f'odp/{name}.odp', data, expected['language'], expected['note'].rstrip('.') + '; by LibreOffice from a presentation.', expected['text'], anywhere=expected.get('anywhere'), optional=expected.get('optional'), pages=expected.get('pages'))


if __name__ == '__main__':
    number_formats()
    sheets()
    slides()
