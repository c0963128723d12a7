"""Makes documents of word processors with the features that are hard to read: DOCX, ODT and RTF, mostly by hand."""
import json
import re

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from common import ROOT, put, table, to_html
from make_office import convert, to_bytes
from make_sheets import change, zipped

NS = nsdecls('w')
MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def word(*paragraphs):
    """Makes a document of python-docx whose body is XML."""
    document = docx.Document()
    for number, xml in enumerate(paragraphs):
        xml = xml if xml.startswith('<') else f'<w:p><w:r><w:t xml:space="preserve">{xml}</w:t></w:r></w:p>'
        document.element.body.insert(number, parse_xml(re.sub(r'^<(w:\w+)', rf'<\1 {NS} {MATH}', xml, count=1)))
    return document


def run(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def docx_documents():
    document = word(f'<w:p>{run("Η ταχύτητα είναι ")}<m:oMath><m:sSup><m:e><m:r><m:t>v</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup><m:r><m:t>=</m:t></m:r><m:rad><m:deg/><m:e><m:r><m:t>gh</m:t></m:r></m:e></m:rad></m:oMath>{run(" κατά την πτώση.")}</w:p>',
                    '<w:p><m:oMathPara><m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>n</m:t></m:r></m:sub><m:sup><m:r><m:t>k</m:t></m:r></m:sup><m:e><m:r><m:t>cost</m:t></m:r></m:e></m:nary></m:oMath></m:oMathPara></w:p>')
    put('docx/equations.docx', to_bytes(document), 'el', 'A power, a root and a sum.', ['Η ταχύτητα είναι'], anywhere=['κατά την πτώση', 'v gh', 'n k cost'], optional=['2 v2 sqrt'])

    document = word(
        f'<w:p>{run("Zahlbar binnen 14")}<w:r><w:noBreakHyphen/></w:r>{run("tägiger Frist, Ver")}<w:r><w:softHyphen/></w:r>{run("zug nach Mahnung.")}</w:p>',
        f'<w:p><w:hyperlink w:anchor="x">{run("Siehe Anlage 3")}</w:hyperlink>{run(" und ")}<w:smartTag w:element="place">{run("Würzburg")}</w:smartTag>{run(".")}</w:p>',
        f'<w:sdt><w:sdtPr><w:dropDownList/></w:sdtPr><w:sdtContent><w:p>{run("Lieferart: Abholung")}</w:p></w:sdtContent></w:sdt>',
        f'<w:p>{run("Temperatur 40")}<w:r><w:sym w:font="Symbol" w:char="F0B0"/></w:r>{run(" Celsius")}<w:r><w:tab/></w:r>{run("Druck 3 bar")}<w:r><w:br/></w:r>{run("Masse 12 kg")}</w:p>')
    put('docx/odd-characters.docx', to_bytes(document), 'de', 'Hyphens, symbols, tabs, links, smart tags and a list to choose from.',
        ['Zahlbar binnen 14-tägiger Frist, Verzug nach Mahnung.', 'Siehe Anlage 3 und Würzburg.', 'Lieferart: Abholung', 'Temperatur 40 Celsius Druck 3 bar Masse 12 kg'])

    document = docx.Document()
    document.add_paragraph('Stok listesi')
    outer = document.add_table(2, 2)
    outer.cell(0, 0).text = 'Depo'
    outer.cell(0, 1).text = 'İçerik'
    outer.cell(1, 0).text = 'Güney'
    inner = outer.cell(1, 1).add_table(1, 2)
    inner.cell(0, 0).text = 'çivi'
    inner.cell(0, 1).text = 'üç kutu'
    put('docx/nested-table.docx', to_bytes(document), 'tr', 'A table within a cell.', ['Stok listesi', 'Depo İçerik'], anywhere=['Güney', 'çivi', 'üç kutu'], optional=['Depo İçerik'])

    document = docx.Document()
    paragraph = document.add_paragraph('Die Frist endet am ')
    marked = paragraph.add_run('1. August')
    document.add_comment(marked, text='Bitte mit dem Kunden klären', author='Lea', initials='L')
    paragraph.add_run(' um zwölf Uhr.')
    put('docx/comment.docx', to_bytes(document), 'de', 'A comment in the margin.', ['Die Frist endet am 1. August um zwölf Uhr.'], optional=['Comment Note Bitte mit dem Kunden klären Lea L'])

    document = docx.Document()
    document.add_paragraph('Rota de entrega')
    grid = document.add_table(4, 5)
    rows = [['Bairro', 'Manhã', '', 'Tarde', ''], ['', 'ida', 'volta', 'ida', 'volta'], ['Centro', '8:00', '9:10', '14:00', '15:20'], ['Praia', '8:30', '9:40', '14:30', '15:50']]
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(0, 0).merge(grid.cell(1, 0))
    grid.cell(0, 1).merge(grid.cell(0, 2))
    grid.cell(0, 3).merge(grid.cell(0, 4))
    put('docx/merged-heads-unmarked.docx', to_bytes(document), 'pt', 'A head of two rows that no property marks as a head.',
        ['Rota de entrega', table(['Bairro', 'Manhã › ida', 'Manhã › volta', 'Tarde › ida', 'Tarde › volta'], [rows[2], rows[3]])])

    xml = f'<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid><w:tr><w:tc><w:p>{run("Linia")}</w:p></w:tc><w:tc><w:p>{run("Przystanek")}</w:p></w:tc><w:tc><w:p>{run("Odjazd")}</w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p>{run("Żółta")}</w:p></w:tc><w:tc><w:p>{run("Młyn")}</w:p></w:tc><w:tc><w:p>{run("6:12")}</w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p>{run("Rynek")}</w:p></w:tc><w:tc><w:p>{run("6:20")}</w:p></w:tc></w:tr><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc><w:p>{run("Zajezdnia")}</w:p></w:tc><w:tc><w:p>{run("6:31")}</w:p></w:tc></w:tr></w:tbl>'
    put('docx/grid-before.docx', to_bytes(word('Rozkład', xml)), 'pl', 'A row that begins in the second column, and a merged cell.',
        ['Rozkład', table(['Linia', 'Przystanek', 'Odjazd'], [['Żółta', 'Młyn', '6:12'], ['^', 'Rynek', '6:20'], ['', 'Zajezdnia', '6:31']])])

    document = word('Texto visible del acta.', f'<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t xml:space="preserve">párrafo oculto </w:t></w:r>{run("Se cierra a las ocho.")}</w:p>')
    put('docx/hidden.docx', to_bytes(document), 'es', 'Hidden text.', ['Texto visible del acta.', 'Se cierra a las ocho.'], optional=['párrafo oculto'])

    def strict(text):
        return text.replace('http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'http://purl.oclc.org/ooxml/wordprocessingml/main').replace('http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'http://purl.oclc.org/ooxml/officeDocument/relationships')
    document = docx.Document()
    document.add_heading('Hyresavtal', 1)
    document.add_paragraph('Uppsägning sker skriftligen med nio månaders varsel.')
    put('docx/strict.docx', change(to_bytes(document), {r'.*\.(xml|rels)': strict}), 'sv', 'The strict form of the format, with other namespaces.', ['Hyresavtal', 'Uppsägning sker skriftligen med nio månaders varsel.'])

    html = to_html([('h', '공사 견적'), ('p', '아래 금액에는 부가가치세가 포함되어 있지 않습니다.')], 'ko') + '<table><tr><th rowspan="2">항목</th><th colspan="2">금액</th></tr><tr><th>자재</th><th>인건비</th></tr><tr><td>도배</td><td>320,000</td><td>450,000</td></tr><tr><td>타일</td><td>510,000</td><td>380,000</td></tr></table>'
    expected = ['공사 견적', '아래 금액에는 부가가치세가 포함되어 있지 않습니다.', table(['항목', '금액 › 자재', '금액 › 인건비'], [['도배', '320,000', '450,000'], ['타일', '510,000', '380,000']])]
    html = html.replace('</body></html>\n', '') + '</body></html>'
    put('docx/ko-heads-lo.docx', convert(html, 'docx:MS Word 2007 XML', extra=['--writer']), 'ko', 'A head of two rows; made by LibreOffice.', expected)
    put('odt/ko-heads-lo.odt', convert(html, 'odt', extra=['--writer']), 'ko', 'A head of two rows; made by LibreOffice.', expected)
    html = '<html><body><h1>Wachplan</h1><table><tr><th>Turm</th><th>Name</th><th>Zeit</th></tr><tr><td rowspan="2">Nord</td><td>Jörg</td><td>6–14</td></tr><tr><td>Käthe</td><td>14–22</td></tr><tr><td>Süd</td><td>Uwe</td><td>22–6</td></tr></table></body></html>'
    expected = ['Wachplan', table(['Turm', 'Name', 'Zeit'], [['Nord', 'Jörg', '6–14'], ['^', 'Käthe', '14–22'], ['Süd', 'Uwe', '22–6']])]
    html = html.replace('<html>', '<html><meta charset="utf-8">')
    put('docx/merged-lo.docx', convert(html, 'docx:MS Word 2007 XML', extra=['--writer']), 'de', 'A cell covers two rows; made by LibreOffice.', expected)
    put('odt/merged-lo.odt', convert(html, 'odt', extra=['--writer']), 'de', 'A cell covers two rows; made by LibreOffice.', expected)
    put('rtf/merged-lo.rtf', convert(html, 'rtf:Rich Text Format', extra=['--writer']), 'de', 'A cell covers two rows; made by LibreOffice.', expected)
    for name in ['tracked', 'head-and-foot', 'ruby', 'text-box', 'fields', 'comment']:
        with open(f'{ROOT}/docx/{name}.docx', 'rb') as file:
            data = file.read()
        with open(f'{ROOT}/docx/{name}.docx.json', encoding='utf-8') as file:
            expected = json.load(file)
        # LibreOffice would set the field to the day of the conversion.
        data = change(data, {r'word/document\.xml': lambda text: re.sub(r'<w:r><w:fldChar.*?separate"/></w:r>|<w:r><w:fldChar w:fldCharType="end"/></w:r>', '', text)})
        for kind, target in [('odt', 'odt'), ('rtf', 'rtf:Rich Text Format')]:
            if (name, kind) in [('ruby', 'rtf'), ('text-box', 'rtf')]:
                continue
            put(f'{kind}/{name}.{kind}', convert(data, target, source='docx'), expected['language'], expected['note'].rstrip('.') + '; made by LibreOffice from a DOCX.', expected['text'], anywhere=expected.get('anywhere'), optional=expected.get('optional'))


OFFICE = 'urn:oasis:names:tc:opendocument:xmlns:'


def odt_documents():
    spaces = ' '.join(f'xmlns:{name}="{OFFICE}{name}:1.0"' for name in ['office', 'table', 'text', 'style']) + f' xmlns:draw="{OFFICE}drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    manifest = f'<manifest:manifest xmlns:manifest="{OFFICE}manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/></manifest:manifest>'
    body = '''<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>stará věta</text:p></text:deletion></text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">Smlouva o<text:s/>dílo</text:h><text:p>Zhotovitel<text:change text:change-id="c1"/> předá dílo<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Včetně dokumentace.</text:p></text:note-body></text:note> do <text:span>konce</text:span> června.</text:p>
<text:list><text:list-item><text:p>okapy</text:p></text:list-item><text:list-item><text:p>žlaby</text:p><text:list><text:list-item><text:p>měděné</text:p></text:list-item></text:list></text:list-item></text:list>
<text:p>Cena:<text:tab/>48<text:s/>000 Kč<text:line-break/>splatno ihned</text:p>
<text:p><draw:frame><draw:text-box><text:p>Rámeček s poznámkou</text:p></draw:text-box></draw:frame></text:p>
<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Část</text:p></table:table-cell><table:table-cell><text:p>Popis</text:p></table:table-cell><table:table-cell><text:p>Hodiny</text:p></table:table-cell></table:table-row></table:table-header-rows>
<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Střecha</text:p></table:table-cell><table:table-cell><text:p>krytina</text:p></table:table-cell><table:table-cell><text:p>16</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><text:p>komín</text:p><text:p>cihly</text:p></table:table-cell><table:table-cell><text:p>9</text:p></table:table-cell></table:table-row></table:table>
<text:p>Konec <office:annotation><dc:creator>Eva</dc:creator><text:p>ověřit cenu</text:p></office:annotation>smlouvy.</text:p>'''
    content = f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} office:version="1.2"><office:body><office:text>{body}</office:text></office:body></office:document-content>'
    put('odt/by-hand.odt', zipped({'mimetype': 'application/vnd.oasis.opendocument.text', 'META-INF/manifest.xml': manifest, 'content.xml': content}), 'cs', 'A deletion, a footnote, lists, spaces, a text box, a merged cell and a comment; written by hand.',
        ['Smlouva o dílo', 'Zhotovitel předá dílo do konce června.', 'okapy', 'žlaby', 'měděné', 'Cena: 48 000 Kč splatno ihned', table(['Část', 'Popis', 'Hodiny'], [['Střecha', 'krytina', '16'], ['^', 'komín cihly', '9']]), 'Konec smlouvy.'],
        anywhere=['Včetně dokumentace.', 'Rámeček s poznámkou'], optional=['Comment Note 1 Eva ověřit cenu'])


def escape(text, codec):
    """Writes a text as RTF with the bytes of a code page."""
    out = ''
    for byte in text.encode(codec):
        out += chr(byte) if 32 <= byte < 127 and chr(byte) not in '\\{}' else f"\\'{byte:02x}"
    return out


def rtf_documents():
    for name, codec, page, charset, language, lines in [
        ('ru', 'cp1251', 1251, 204, 'ru', ['Акт приёмки', 'Комиссия осмотрела склад и установила недостачу двух бочек.']),
        ('el', 'cp1253', 1253, 161, 'el', ['Δελτίο αποστολής', 'Παραδόθηκαν τριάντα κιβώτια ελαιόλαδο στην αποβάθρα.']),
        ('ja', 'cp932', 932, 128, 'ja', ['納品書', '表示板を五枚、能登支店へ発送しました。']),
        ('zh', 'gbk', 936, 134, 'zh', ['收货单', '兹收到轴承二十箱，外包装完好无损。']),
        ('ko', 'cp949', 949, 129, 'ko', ['인수증', '포장 상자 열두 개를 이상 없이 받았습니다.']),
        ('he', 'cp1255', 1255, 177, 'he', ['תעודת משלוח', 'נמסרו עשרים ארגזים למחסן הדרומי.']),
        ('tr', 'cp1254', 1254, 162, 'tr', ['İrsaliye', 'Kırk çuval buğday değirmene gönderildi.']),
        ('pl', 'cp1250', 1250, 238, 'pl', ['Protokół', 'Zważono siedem skrzyń śrub i gwoździ.']),
        ('fr', 'cp1252', 1252, 0, 'fr', ['Bon de livraison', 'Reçu « l’œuvre » contre 1 250 € – déjà réglés.']),
    ]:
        body = '\\par\n'.join(escape(line, codec) for line in lines)
        data = f'{{\\rtf1\\ansi\\ansicpg{page}\\deff0{{\\fonttbl{{\\f0\\fnil\\fcharset{charset} Arial;}}}}\n\\viewkind4\\uc1\\pard\\f0\\fs22 {body}\\par\n}}'
        put(f'rtf/code-page-{name}.rtf', data.encode('ascii'), language, f'Bytes of the code page {page}; written by hand.', lines)
    put('rtf/charsets.rtf', b"{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}{\\f1\\fswiss\\fcharset204 Arial Cyr;}{\\f2\\fnil\\fcharset128 MS Mincho;}}\n{\\info{\\title Secret}{\\author Nobody}}{\\*\\generator Hand;}\\pard Caf\\'e9 {\\f1 \\'f1\\'ea\\'eb\\'e0\\'e4} {\\f2 \\'95\\'5c\\'8e\\'a6} end\\par}",
        'mul', 'Fonts of three character sets in a line, and properties that are no text; written by hand.', ['Café склад 表示 end'])
    put('rtf/unicode.rtf', "{\\rtf1\\ansi\\ansicpg1252\\uc1{\\fonttbl{\\f0 Arial;}}\\pard\\f0 Th\\u225?ng ch\\u237?n: \\u26032?\\u32862?\\par{\\uc2 \\u-3913\\'81\\'40\\u44032\\'b0\\'a1}\\uc0 \\u8364 5 \\u8220 ok\\u8221\\par \\ldblquote a\\rdblquote\\~b\\_c\\emdash d\\bullet\\endash\\lquote e\\rquote\\par}".encode('ascii'),
        'mul', 'Characters by number, with replacements of one, two and no bytes; written by hand.', ['Tháng chín: 新聞', '가', '€5 “ok”', '“a” b-c—d•–‘e’'], optional=[chr(65536 - 3913)])
    row = '\\trowd\\cellx2000\\cellx4000\\cellx6000\\intbl '
    rows = [['Article', 'Colour', 'Stock'], ['Paint', 'grey', '14'], ['Brush', '', '230']]
    cells = ''.join(row + ''.join(f'{cell}\\cell ' for cell in line) + '\\row\n' for line in rows)
    merged = '\\trowd\\clvmgf\\cellx2000\\cellx4000\\cellx6000\\intbl Rope\\cell hemp\\cell 9\\cell\\row\n\\trowd\\clvmrg\\cellx2000\\cellx4000\\cellx6000\\intbl \\cell nylon\\cell 4\\cell\\row\n'
    put('rtf/by-hand.rtf', ('{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}{\\stylesheet{\\s0 Normal;}}{\\header\\pard Depot Wapping\\par}{\\footer\\pard page {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}\\par}\n\\pard Stock list for {\\field{\\*\\fldinst { DATE }}{\\fldrslt 4 June 2026}}{\\v hidden words}\\par\n'
        + cells + merged + '\\pard Counted twice{\\super\\chftn}{\\footnote\\pard{\\super\\chftn} By Ms. Rao.} by {\\deleted two }{\\revised three }persons.\\line Next count in July.\\par\n{\\pict\\pngblip\\picw1\\pich1 89504e470d0a1a0a0000}\\pard{\\listtext\\bullet\\tab}Tarpaulins\\par\n{\\*\\unknown skipped words}\\page Last page.\\par}').encode('ascii'),
        'en', 'Tables, merged cells, fields, hidden and deleted text, a footnote, a picture, and groups to skip; written by hand.',
        ['Stock list for 4 June 2026', table(rows[0], [*rows[1:], ['Rope', 'hemp', '9'], ['^', 'nylon', '4']]), 'Counted twice by three persons. Next count in July.', 'Tarpaulins', 'Last page.'],
        anywhere=['By Ms. Rao.'], optional=['Depot Wapping page 1 1 1 hidden words'])


if __name__ == '__main__':
    docx_documents()
    odt_documents()
    rtf_documents()
