"""Makes further members of each kind: other encodings, formats, layouts and programs."""
import base64
import io
import tempfile

import docx
import xlsxwriter
from reportlab.pdfgen import canvas

from common import ROOT, expect, put, table, to_html
from make_hard_pdf import HELVETICA, lines_of, page_pdf
from make_office import abiword, book, convert, run, to_bytes
from make_pdf import chromium, cid_pdf, wkhtmltopdf, weasyprint
from make_sheets import formatted
from make_text import mail, put_mail
from make_words import word
from make_words import run as text_run
from texts import TEXTS

STYLE = '<meta charset="utf-8"><style>body{font:11pt "DejaVu Sans"} td,th{padding:3px 14px;text-align:left}</style>'


def pdfs():
    zh = ['供货合同（第3版）', '编号：HT-2026-118，共12页。', '乙方须于七日内交货。']
    tw = ['採購單（第3版）', '編號：PO-2026-118，共12頁。', '請於七日內交貨。']
    ja = ['発注書（第3版）', '番号：PO-2026-118、全12ページ。', '七日以内に納品のこと。']
    ko = ['발주서 (제3판)', '번호: PO-2026-118, 모두 12쪽.', '이레 안에 납품할 것.']
    for cmap, codec, ordering, font, lang, lines in [
        ('GBpc-EUC-H', 'gb2312', 'GB1', 'STHeiti', 'zh', zh), ('GBK-EUC-V', 'gbk', 'GB1', 'SimSun', 'zh', zh), ('UniGB-UTF16-V', 'utf-16-be', 'GB1', 'STSong', 'zh', zh),
        ('B5pc-H', 'big5', 'CNS1', 'LiSong', 'zh-TW', tw), ('ETenms-B5-H', 'cp950', 'CNS1', 'PMingLiU', 'zh-TW', tw), ('HKscs-B5-H', 'big5hkscs', 'CNS1', 'MingLiU_HKSCS', 'zh-TW', tw), ('UniCNS-UTF16-H', 'utf-16-be', 'CNS1', 'MSung', 'zh-TW', tw),
        ('90msp-RKSJ-H', 'cp932', 'Japan1', 'MS-PMincho', 'ja', ja), ('90pv-RKSJ-H', 'cp932', 'Japan1', 'HeiseiKakuGo-W5', 'ja', ja), ('EUC-V', 'euc_jp', 'Japan1', 'Ryumin-Light', 'ja', ja), ('UniJIS2004-UTF16-H', 'utf-16-be', 'Japan1', 'KozMinPr6N', 'ja', ja),
        ('KSCms-UHC-HW-H', 'cp949', 'Korea1', 'BatangChe', 'ko', ko), ('UniKS-UTF16-H', 'utf-16-be', 'Korea1', 'Batang', 'ko', ko),
    ]:
        put(f'pdf/cmap-{cmap}.pdf', cid_pdf(lines, cmap, codec, ordering, font), lang, f'Chinese, Japanese or Korean with Latin letters in the encoding {cmap}, without ToUnicode.', lines, pages=1)

    rows = [[f'{number:03d}', article, f'{number * 3 % 11 + 1}', f'{number * 7.5 + 4.2:.2f}'.replace('.', ',')] for number, article in enumerate(['Kabelbinder', 'Lüsterklemme', 'Schalter', 'Steckdose', 'Sicherung', 'Leuchte', 'Trafo', 'Dimmer', 'Klingel', 'Taster', 'Rohr', 'Dose'], 1)]
    html = '<h1>Lieferschein 5521</h1><table border="1" style="border-collapse:collapse"><thead><tr><th>Pos</th><th>Artikel</th><th>Menge</th><th>Preis</th></tr></thead><tbody>' + ''.join(f'<tr style="height:80px"><td>{a}</td><td>{b}</td><td style="text-align:right">{c}</td><td style="text-align:right">{d}</td></tr>' for a, b, c, d in rows) + '</tbody></table>'
    put('pdf/table-two-pages.pdf', chromium(STYLE + html), 'de', 'A table over two pages with its head on each; made by Chromium.', ['Lieferschein 5521', table(['Pos', 'Artikel', 'Menge', 'Preis'], rows)], pages=2)
    html = '<p>Przychodnia Zdrowie</p><h1>Grafik lekarzy</h1><table border="1" style="border-collapse:collapse"><tr><th>Lekarz</th><th>Poniedziałek</th><th>Wtorek</th><th>Środa</th></tr><tr><td>Dr Żak</td><td>8–12</td><td></td><td>14–18</td></tr><tr><td>Dr Łoś</td><td></td><td>9–13</td><td></td></tr><tr><td>Dr Gęś</td><td>15–19</td><td>15–19</td><td>8–11</td></tr></table><p>Zapisy: 22 555 01 88</p>'
    put('pdf/table-empty-cells.pdf', weasyprint(STYLE + html), 'pl', 'A table with empty cells and lines; made by WeasyPrint.', ['Przychodnia Zdrowie', 'Grafik lekarzy', table(['Lekarz', 'Poniedziałek', 'Wtorek', 'Środa'], [['Dr Żak', '8–12', '', '14–18'], ['Dr Łoś', '', '9–13', ''], ['Dr Gęś', '15–19', '15–19', '8–11']]), 'Zapisy: 22 555 01 88'])
    html = '<h1 style="column-span:all">Nieuwsbrief voorjaar</h1><div style="columns:3;font-size:9pt;height:150px;column-fill:auto;hyphens:auto" lang="nl"><p>De speeltuin aan de Lindelaan gaat in april weer open. Vrijwilligers hebben de schommels geschilderd.</p><p>Het verkeersbesluit over de Havenweg is uitgesteld. De gemeenteraad bespreekt het bezwaar in mei.</p><p>De bibliotheek zoekt voorlezers voor de zaterdagochtend. Aanmelden kan aan de balie.</p></div>'
    put('pdf/three-columns.pdf', chromium(STYLE + html), 'nl', 'Three columns below a title; made by Chromium.', ['Nieuwsbrief voorjaar', 'De speeltuin aan de Lindelaan gaat in april weer open. Vrijwilligers hebben de schommels geschilderd.', 'Het verkeersbesluit over de Havenweg is uitgesteld. De gemeenteraad bespreekt het bezwaar in mei.', 'De bibliotheek zoekt voorlezers voor de zaterdagochtend. Aanmelden kan aan de balie.'])
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    page.setFont('Helvetica-Bold', 20)
    for shift, grey in [((1.2, -1.2), 0.7), ((0, 0), 0)]:
        page.setFillGray(grey)
        page.drawString(60 + shift[0], 780 + shift[1], 'Sommerfest im Hof')
    page.setFont('Helvetica', 11)
    page.drawString(60, 750, 'Samstag ab 15 Uhr, Eintritt frei.')
    page.save()
    put('pdf/shadow.pdf', buffer.getvalue(), 'de', 'A title with a shadow, which is drawn first; made by ReportLab.', ['Sommerfest im Hof', 'Samstag ab 15 Uhr, Eintritt frei.'], pages=1)
    invoice = ['Invoice 2026-0088', 'Bill to: Okafor & Sons, 4 Quay Street, Cork', 'Terms: 30 days net']
    drawn = lines_of(invoice) + b'\n' + b'\n'.join(lines_of([row], x=x, y=y, size=10) for y, cells in zip([680, 664, 648], [['Item', 'Qty', 'Total'], ['Barrels', '12', '540.00'], ['Hoops', '48', '96.00']]) for x, row in zip([60, 300, 420], cells)) + b'\n' + lines_of(['Amount due: EUR 636.00'], y=600)
    put('pdf/invoice-by-hand.pdf', page_pdf(drawn, {'F1': HELVETICA}), 'en', 'An invoice whose table has no lines; written by hand.', [*invoice, table(['Item', 'Qty', 'Total'], [['Barrels', '12', '540.00'], ['Hoops', '48', '96.00']]), 'Amount due: EUR 636.00'], pages=1)
    for name, maker, label in [('he-letter', wkhtmltopdf, 'wkhtmltopdf')]:
        html = to_html(TEXTS[name], name[:2], ('body{direction:rtl}' if name[:2] == 'he' else '') + 'td,th{padding:3px 14px;text-align:left}', head='<meta charset="utf-8">')
        put(f'pdf/{name}-{label.lower()}.pdf', maker(html), name[:2], f'Made by {label}.', expect(TEXTS[name]))
    for name in ['ar-notice', 'hi-circular', 'th-notice', 'vi-price', 'zh-minutes', 'ja-minutes']:
        with open(f'{ROOT}/docx/{name if name != "th-notice" else "th-notice-lo"}.docx', 'rb') as file:
            put(f'pdf/{name}-word.pdf', convert(file.read(), 'pdf', source='docx'), name[:2], 'A Word document that LibreOffice exported.', expect(TEXTS[name]))
    with open(f'{ROOT}/pptx/order.pptx', 'rb') as file:
        put('pdf/slides.pdf', convert(file.read(), 'pdf', source='pptx'), 'it', 'Slides that LibreOffice exported.', ['Terzo capitolo', 'Il testo del capitolo terzo.', 'Primo capitolo', 'Il testo del capitolo primo.', 'Secondo capitolo', 'Il testo del capitolo secondo.'], pages=3)


def workbooks():
    formatted('Tabela', ['Rubrica', 'Valor', 'Variação', 'Mês'], [None, '#,##0;[Red]-#,##0', '+0.0%;-0.0%;0.0%', '0'], [['Receita', (125000, '125,000'), (0.034, '+3.4%'), (3, '3')], ['Despesa', (-98000, '-98,000'), (-0.012, '-1.2%'), (4, '4')]], 'pt', 'Colors in formats, and signs of percents; made by xlsxwriter.', 'signs')
    formatted('Scale', ['City', 'Turnover', 'Share', 'Phone'], [None, '#,##0.0,"k"', '0%', '000-0000'], [['Leeds', (1234567, '1,234.6k'), (0.666, '67%'), (5550142, '555-0142')], ['Hull', (98700, '98.7k'), (0.334, '33%'), (5550007, '555-0007')]], 'en', 'Thousands that are scaled, and digits with a hyphen; made by xlsxwriter.', 'scaled')
    formatted('Zmiany', ['Kto', 'Od', 'Waga'], [None, 'h:mm AM/PM', '# ??/16'], [['Ewa', (0.25, '6:00 AM'), (2.1875, '2 3/16')], ['Jan', (0.75, '6:00 PM'), (0.5, '8/16')]], 'pl', 'Times of twelve hours and sixteenths; made by xlsxwriter.', 'sixteenths')
    formatted('Bilanz', ['Posten', 'Betrag'], [None, '_-* #,##0.00 €_-;-* #,##0.00 €_-'], [['Kasse', (1450, '1,450.00 €')], ['Schulden', (-220.5, '-220.50 €'), ]], 'de', 'The format of accounts, with spaces that fill the cell; made by xlsxwriter.', 'accounts')
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer)
    sheet = workbook.add_worksheet('Parc')
    sheet.write_row(0, 0, ['Véhicule', 'Km'])
    sheet.write_row(1, 0, ['Camion', 120500])
    sheet.write_row(2, 0, ['Total', 120500])
    sheet.write(4, 0, 'Conducteurs')
    sheet.write_row(5, 0, ['Nom', 'Permis', 'Ville'])
    sheet.write_row(6, 0, ['Noé', 'C1', 'Sète'])
    sheet.write_row(7, 0, ['Zoé', 'CE', 'Nîmes'])
    workbook.add_worksheet('Vide')
    workbook.close()
    put('xlsx/two-tables.xlsx', buffer.getvalue(), 'fr', 'Two tables below each other on a sheet, and an empty sheet; made by xlsxwriter.',
        ['Parc', table(['Véhicule', 'Km'], [['Camion', '120500'], ['Total', '120500']]), 'Conducteurs', table(['Nom', 'Permis', 'Ville'], [['Noé', 'C1', 'Sète'], ['Zoé', 'CE', 'Nîmes']])], optional=['Vide'])
    for source, target in [('xlsx', 'ods'), ('csv', 'xlsx')]:
        with tempfile.TemporaryDirectory() as folder:
            if source == 'csv':
                with open(f'{folder}/a.csv', 'w', encoding='utf-8') as file:
                    file.write('Straße,Haus,Bewohner\nAm Öhr,7,3\nGässchen,12a,5\n')
            else:
                with open(f'{folder}/a.xlsx', 'wb') as file:
                    file.write(to_bytes(book([['Straße', 'Haus', 'Bewohner'], ['Am Öhr', 7, 3], ['Gässchen', '12a', 5]], 'Liste')))
            run('ssconvert', f'{folder}/a.{source}', f'{folder}/b.{target}')
            with open(f'{folder}/b.{target}', 'rb') as file:
                put(f'{target}/streets-gnumeric.{target}', file.read(), 'de', 'Made by Gnumeric.', [table(['Straße', 'Haus', 'Bewohner'], [['Am Öhr', '7', '3'], ['Gässchen', '12a', '5']])], optional=['Liste a.csv a csv Sheet1'])


def words():
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/a.md', 'w', encoding='utf-8') as file:
            file.write('---\ntitle: Ordnung der Werkstatt\n---\n\n1. Werkzeug zurücklegen\n2. Späne fegen\n   a. auch unter den Bänken\n\nBegriff\n:   Erklärung des Begriffs\n\n| Gerät | Prüfung |\n|-------|--------:|\n| Säge  | Mai     |\n| Bohrer | Juli |\n\nSiehe [Aushang](https://example.org/a).\n')
        for kind in ['docx', 'odt', 'epub']:
            run('pandoc', f'{folder}/a.md', '-o', f'{folder}/a.{kind}')
            with open(f'{folder}/a.{kind}', 'rb') as file:
                put(f'{kind}/workshop-pandoc.{kind}', file.read(), 'de', 'Lists, terms, a table and a link; made by pandoc.',
                    ['Ordnung der Werkstatt', 'Werkzeug zurücklegen', 'Späne fegen', 'auch unter den Bänken', 'Begriff', 'Erklärung des Begriffs', table(['Gerät', 'Prüfung'], [['Säge', 'Mai'], ['Bohrer', 'Juli']]), 'Siehe Aushang.'],
                    optional=['1 2 a a. https://example.org/a Ordnung der Werkstatt'])
    document = word(f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> IF </w:instrText></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> MERGEFIELD Sex </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>f</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:instrText> = "f" "Madam" "Sir" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{text_run("Dear Madam")}<w:r><w:fldChar w:fldCharType="end"/></w:r>{text_run(", your lease ends in May.")}</w:p>',
                    f'<w:p>{text_run("Agreed: ")}<w:sdt><w:sdtContent>{text_run("☒")}</w:sdtContent></w:sdt>{text_run(" yes")}</w:p>')
    put('docx/nested-fields.docx', to_bytes(document), 'en', 'A field within the condition of a field, and a box that is ticked.', ['Dear Madam, your lease ends in May.', 'Agreed: yes'], optional=['f'])
    document = word(f'<w:p><w:r><w:ruby><w:rubyPr/><w:rt>{text_run("chóngqìng")}</w:rt><w:rubyBase>{text_run("重庆")}</w:rubyBase></w:ruby></w:r>{text_run("分公司已搬迁。")}</w:p>')
    put('docx/ruby-zh.docx', to_bytes(document), 'zh', 'A phonetic guide above Chinese.', ['重庆分公司已搬迁。'], optional=['chóngqìng'])
    document = docx.Document()
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = 'Kancelář Dvořák a syn'
    section.header.paragraphs[0].text = 'Spis 88 C 14'
    document.add_paragraph('Žalovaný je povinen zaplatit 14 200 Kč.')
    put('docx/first-head.docx', to_bytes(document), 'cs', 'The first page has a head of its own.', ['Žalovaný je povinen zaplatit 14 200 Kč.'], anywhere=['Kancelář Dvořák a syn'], optional=['Spis 88 C 14'])
    document = docx.Document()
    document.add_paragraph('Angebot')
    grid = document.add_table(4, 3)
    for y, row in enumerate([['Leistung', 'Stunden', 'Preis'], ['Malerarbeiten', '', ''], ['Decke', '6', '330 €'], ['Wände', '11', '605 €']]):
        for x, value in enumerate(row):
            grid.cell(y, x).text = value
    grid.cell(1, 0).merge(grid.cell(1, 2))
    put('docx/section-row.docx', to_bytes(document), 'de', 'A row whose only cell covers all columns: a title within the table.', ['Angebot', 'Malerarbeiten', table(['Leistung', 'Stunden', 'Preis'], [['Decke', '6', '330 €'], ['Wände', '11', '605 €']])])
    for name, target in [('hu-letter', 'docx'), ('nl-rules', 'docx'), ('it-letter', 'odt'), ('cs-notice', 'rtf')]:
        put(f'{target}/{name}-lo.{target}', convert(to_html(TEXTS[name], name[:2], head='<meta charset="utf-8">'), {'docx': 'docx:MS Word 2007 XML', 'odt': 'odt', 'rtf': 'rtf:Rich Text Format'}[target], extra=['--writer']), name[:2], 'Made by LibreOffice from HTML.', expect(TEXTS[name]))
    put('rtf/hu-letter-abiword.rtf', abiword(to_html(TEXTS['hu-letter'], 'hu', head='<meta charset="utf-8">'), 'rtf'), 'hu', 'Made by AbiWord.', expect(TEXTS['hu-letter']))
    put('rtf/mac.rtf', '{\\rtf1\\mac\\deff0{\\fonttbl{\\f0 Geneva;}}\\f0 Caf'.encode() + b"\\'8e fran\\'8dais\\par 12 \\'db\\par}", 'fr', 'Bytes of an old Macintosh; written by hand.', ['Café français', '12 €'])
    put('rtf/nested-table.rtf', b'{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}\\pard Rota\\par\\trowd\\cellx3000\\cellx6000\\pard\\intbl Day\\cell Cook\\cell\\row\\trowd\\cellx3000\\cellx6000\\pard\\intbl{\\b Mon}day\\cell Ines\\par and Rui\\cell\\row\\trowd\\cellx3000\\cellx6000\\pard\\intbl Friday\\cell\\cell\\row\\pard End.\\par}', 'en', 'Paragraphs within a cell, and an empty cell; written by hand.', ['Rota', table(['Day', 'Cook'], [['Monday', 'Ines and Rui'], ['Friday', '']]), 'End.'])


def texts():
    for label, codec, name, quote in [('x-sjis', 'cp932', 'ja-manual', '"'), ('ks_c_5601-1987', 'cp949', 'ko-contract', "'"), ('GB18030', 'gb18030', 'zh-contract', ''), ('Latin1', 'cp1252', 'es-minutes', '"'), ('koi8-r', 'koi8-r', 'ru-memo', ''), ('ISO-8859-7', 'iso8859-7', 'el-invoice', '"'), ('windows-1250', 'cp1250', 'hu-letter', "'"), ('big5-hkscs', 'big5hkscs', 'tw-price', '"')]:
        body = TEXTS[name]
        source = to_html(body, name[:2], head=f'<META CONTENT={quote or chr(34)}text/html;charset={label}{quote or chr(34)} HTTP-EQUIV=Content-Type>' if quote else f'<meta charset={label}>')
        put(f'html/{name}-{label}.html', source.encode(codec), name[:2], f'The page states {label}.', expect(body))
    put('html/no-th.html', '<meta charset="utf-8"><h1>Kilometergeld</h1><table><tr><td><b>Fahrer</b></td><td><b>km</b></td></tr><tr><td>Ünal</td><td>412</td></tr><tr><td>Weiß<br>mann</td><td>88</td></tr></table>', 'de', 'A table without heads by name, and a line end in a cell.', ['Kilometergeld', table(['Fahrer', 'km'], [['Ünal', '412'], ['Weiß mann', '88']])])
    put('html/wide-span.html', '<meta charset="utf-8"><h1>Лист</h1><table><tr><th>Смена</th><th>Мастер</th><th>План</th></tr><tr><td>1</td><td>Ким</td><td>90</td></tr><tr><td colspan="9999">перерыв</td></tr><tr><td>2</td><td>Цой</td><td>85</td></tr></table>', 'ru', 'A cell that claims to cover 9999 columns: a title within the table.', ['Лист', table(['Смена', 'Мастер', 'План'], [['1', 'Ким', '90']]), 'перерыв', table(['Смена', 'Мастер', 'План'], [['2', 'Цой', '85']])])
    put('html/span-at-end.html', '<h1>Keys</h1><table><tr><th>Door</th><th>Holder</th></tr><tr><td rowspan="5">Main</td><td>Ola</td></tr><tr><td>Per</td></tr></table><table><tr><th>Van</th><th>Driver</th></tr><tr><td>K1</td><td>Siv</td></tr></table>', 'en', 'A cell that claims more rows than the table has.', ['Keys', table(['Door', 'Holder'], [['Main', 'Ola'], ['^', 'Per']]), table(['Van', 'Driver'], [['K1', 'Siv']])])
    put('csv/sep-pipe.csv', 'sep=|\r\nNávštěva|Čas|Host\r\nPO|9:00|Malý; Ltd, a. s.\r\nÚT|10:30|Veselá\r\n'.encode('cp1250'), 'cs', 'A first line sep=|, in Windows-1250.', [table(['Návštěva', 'Čas', 'Host'], [['PO', '9:00', 'Malý; Ltd, a. s.'], ['ÚT', '10:30', 'Veselá']])], optional=['sep'])
    put('csv/spaces.csv', 'ward, beds, nurse\nNorth, 12, "Osei, Ama"\nSouth, 9, "Lund, Kari"\n', 'en', 'Spaces after the commas, before quotes too.', [table(['ward', 'beds', 'nurse'], [['North', '12', 'Osei, Ama'], ['South', '9', 'Lund, Kari']])])
    put('csv/utf-16-be.csv', '\ufeffÜrün;Adet\r\nÇay;12\r\nŞeker;4\r\n'.encode('utf-16-be'), 'tr', 'UTF-16 in the other order of bytes, with semicolons.', [table(['Ürün', 'Adet'], [['Çay', '12'], ['Şeker', '4']])])
    put('csv/big5.csv', '品名,數量,備註\r\n螺絲,120,不鏽鋼\r\n墊片,300,缺貨\r\n'.encode('big5'), 'zh-TW', 'In the encoding Big5.', [table(['品名', '數量', '備註'], [['螺絲', '120', '不鏽鋼'], ['墊片', '300', '缺貨']])])
    put('csv/report.csv', 'Monthly report,,,\nStation,Harbour East,,\n,,,\nDay,Ships,Tons,Remarks\n1,4,"1,250",\n2,7,"2,310","fog, late"\n,,,\nTotal,11,"3,560",\n', 'en', 'Lines about the table above it, an empty line, and a sum below it.',
        ['Monthly report', 'Station Harbour East', table(['Day', 'Ships', 'Tons', 'Remarks'], [['1', '4', '1,250', ''], ['2', '7', '2,310', 'fog, late'], ['Total', '11', '3,560', '']])])
    put('markdown/bare-table.md', '## Плата за причал\n\nСудно | Длина | Плата\n:-----|:-----:|-----:\nЧайка | 9 м | 1 200\n*Волна* | 14 м | `2 050`\n\nСмотри сноску[^1].\n\n[^1]: Без стоянки зимой.\n', 'ru', 'A table without outer bars, and a footnote.', ['Плата за причал', table(['Судно', 'Длина', 'Плата'], [['Чайка', '9 м', '1 200'], ['Волна', '14 м', '2 050']]), 'Смотри сноску'], anywhere=['Без стоянки зимой.'], optional=['1 1'])
    put('markdown/cp1252.md', '# Fiche “Sécurité”\n\nL’accès est réservé – badge à 5 € obligatoire.\n'.encode('cp1252'), 'fr', 'Windows-1252.', ['Fiche “Sécurité”', 'L’accès est réservé – badge à 5 € obligatoire.'])
    put('text/ja-utf-16-le.txt', '点検報告\n\n消火器三本を交換した。'.encode('utf-16-le'), 'ja', 'UTF-16 without a byte order mark.', ['点検報告', '消火器三本を交換した。'])
    put('text/de-utf-16-le.txt', 'Prüfbericht: Anlage läuft, Öldruck fällt.\n'.encode('utf-16-le'), 'de', 'UTF-16 without a byte order mark.', ['Prüfbericht: Anlage läuft, Öldruck fällt.'])
    put('text/uk-koi8-u.txt', 'Шановні мешканці!\n\nГаряча вода з’явиться в п’ятницю, її температуру перевірять. Її ґатунок відомий.'.replace('’', "'").encode('koi8-u'), 'uk', 'KOI8-U, undeclared.', ['Шановні мешканці!', "Гаряча вода з'явиться в п'ятницю, її температуру перевірять. Її ґатунок відомий."])


def mails():
    date = 'Tue, 03 Mar 2026 09:15:00 +0100'
    head = b'From: office@example.com\r\nTo: customer@example.com\r\nDate: Tue, 03 Mar 2026 09:15:00 +0100\r\nMIME-Version: 1.0\r\n'
    put_mail('en-bare', b'From: office@example.com\nSubject: Keys\n\nThe spare keys are in the blue tin.\n\n> Where are the keys?\n', 'A mail without MIME, and a quotation.', ['Keys', 'The spare keys are in the blue tin.', 'Where are the keys?'], 'en')
    put_mail('zh-gb2312', head + b'Subject: =?gb2312?B?' + base64.b64encode('喆园镕基会议'.encode('gbk')) + b'?=\r\nContent-Type: text/plain; charset="gb2312"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n' + '请各位于周三前回复是否参加。朱镕、陶喆已确认。'.encode('gbk') + b'\r\n', 'Characters of GBK in a mail that states GB 2312.', ['喆园镕基会议', '请各位于周三前回复是否参加。朱镕、陶喆已确认。'], 'zh')
    put_mail('pt-unclosed', head + 'Subject: =?UTF-8?B?'.encode() + base64.b64encode('Férias coletivas'.encode()) + b'?=\r\nContent-Type: multipart/mixed; boundary="b b"\r\n\r\n--b b\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: base64\r\n\r\n' + base64.encodebytes('O escritório fecha de 22 a 31 de dezembro.\n\nPlantão: ramal 314.'.encode()).replace(b'\n', b'\r\n') + b'\r\n--b b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment;\r\n filename*0*=utf-8\'\'f%C3%A9rias%20;\r\n filename*1=2026.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n', 'The last boundary is missing, and a name of an attachment in two pieces.', ['Férias coletivas', 'O escritório fecha de 22 a 31 de dezembro.', 'Plantão: ramal 314.'], 'pt', ['férias 2026.pdf'])
    message = mail('cs', 'Pozvánka', 'office@example.com', 'customer@example.com', date)
    message.set_content('Zveme vás na schůzi.\n\nZačátek v osm večer.', charset='utf-8', cte='quoted-printable')
    message.add_alternative('<html><body><p>Zveme vás na <b>schůzi</b>.</p><p>Začátek v osm večer.</p></body></html>', subtype='html')
    put_mail('cs-alternative', message, 'Plain text and HTML with the same words.', ['Pozvánka', 'Zveme vás na schůzi.', 'Začátek v osm večer.'], 'cs')
    put_mail('de-html-cp1252', head + b'Subject: =?windows-1252?Q?Angebot_=96_=80_500?=\r\nContent-Type: text/html; charset="windows-1252"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n' + b'<p>Guten Tag,</p><p>=84g=FCnstig=93 hei=DFt: 500&nbsp;=80.</p><script>x()</script>\r\n', 'HTML in Windows-1252, quoted-printable.', ['Angebot – € 500', 'Guten Tag,', '„günstig“ heißt: 500 €.'], 'de')


if __name__ == '__main__':
    pdfs()
    workbooks()
    words()
    texts()
    mails()
