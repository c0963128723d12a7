"""Makes PDFs with the features that are hard to read, by hand and with ReportLab, pypdf, qpdf and Chromium."""
import io
import re

import pypdf
from pypdf.generic import DictionaryObject, NameObject
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

from common import ROOT, put, table, to_html
from make_pdf import DEJAVU, chromium, raw_pdf, shell, stream, weasyprint
from texts import TEXTS

CMAPS = '/usr/share/poppler/cMap'


def page_pdf(content, fonts, box='0 0 595 842', extra=b'', objects=()):
    """A PDF of a page; `fonts` are dictionaries by name."""
    names = b' '.join(b'/%s %s' % (name.encode(), font) for name, font in fonts.items())
    return raw_pdf([
        b'<< /Type /Catalog /Pages 2 0 R >>',
        b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        b'<< /Type /Page /Parent 2 0 R /MediaBox [%s] %s /Contents 4 0 R /Resources << /Font << %s >> >> >>' % (box.encode(), extra, names),
        stream(content), *objects,
    ])


HELVETICA = b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'


def lines_of(lines, x=60, y=780, step=18, size=12):
    return b'\n'.join(b'BT /F1 %d Tf 1 0 0 1 %d %d Tm (%s) Tj ET' % (size, x, y - step * number, line.encode('cp1252').replace(b'(', b'\\(').replace(b')', b'\\)')) for number, line in enumerate(lines))


def by_hand():
    lines = ['Die Sachverständigen prü-', 'fen die Brandmelde-', 'anlage jährlich; der Prüf-', 'bericht liegt bei.']
    put('pdf/hyphens.pdf', page_pdf(lines_of(lines), {'F1': HELVETICA}), 'de', 'Words that are divided at the ends of lines; written by hand.', ['Die Sachverständigen prüfen die Brandmeldeanlage jährlich; der Prüfbericht liegt bei.'], pages=1)
    lines = ['The e-mail address of the long-term co-', 'ordinator is on the self-addressed', 'envelope (sixty-two copies).']
    put('pdf/real-hyphens.pdf', page_pdf(lines_of(lines), {'F1': HELVETICA}), 'en', 'Hyphens of words beside those of lines; written by hand.', ['The e-mail address of the long-term coordinator is on the self-addressed envelope (sixty-two copies).'], pages=1)
    spread = b'BT /F1 14 Tf 3 Tc 1 0 0 1 60 780 Tm (INVENTAR) Tj ET BT /F1 11 Tf 0 Tc 1 0 0 1 60 750 Tm [(Zw) -20 (\xf6lf) -300 (St\xfch) 15 (le,) -280 (ein) -310 (Tisch)] TJ ET BT /F1 11 Tf 4 Tw 1 0 0 1 60 730 Tm (und drei Regale) Tj ET'
    put('pdf/kerning.pdf', page_pdf(spread, {'F1': HELVETICA}), 'de', 'Spread letters, and words that only their distance separates; written by hand.', ['INVENTAR', 'Zwölf Stühle, ein Tisch', 'und drei Regale'], pages=1)
    words = []
    x = 60
    for word in 'Each word of this line is placed alone'.split():
        words.append(b'BT /F1 11 Tf 1 0 0 1 %d 780 Tm (%s) Tj ET' % (x, word.encode()))
        x += int(pdfmetrics.stringWidth(word, 'Helvetica', 11)) + 4
    put('pdf/word-by-word.pdf', page_pdf(b'\n'.join(words), {'F1': HELVETICA}), 'en', 'Each word is drawn alone, without spaces; written by hand.', ['Each word of this line is placed alone'], pages=1)
    actual = b'/Span << /ActualText <FEFF0045006600660069007A00690065006E007A> >> BDC BT /F1 12 Tf 1 0 0 1 60 780 Tm (E) Tj (##) Tj (zienz) Tj ET EMC BT /F1 12 Tf 1 0 0 1 60 760 Tm (der Anlage: 93 %) Tj ET'
    put('pdf/actual-text.pdf', page_pdf(actual, {'F1': HELVETICA}), 'de', 'The text of some shapes is stated (ActualText); written by hand.', ['Effizienz', 'der Anlage: 93 %'], pages=1)
    watermark = b'q 0.8 g BT /F1 60 Tf 0.7 0.7 -0.7 0.7 150 250 Tm (BROUILLON) Tj ET Q\n' + lines_of(['Le bail commence le 1er avril.', 'Il est conclu pour neuf ans.'])
    put('pdf/watermark.pdf', page_pdf(watermark, {'F1': HELVETICA}), 'fr', 'A slanted word behind the text; written by hand.', ['Le bail commence le 1er avril.', 'Il est conclu pour neuf ans.'], optional=['BROUILLON'], pages=1)
    unordered = b'\n'.join(lines_of([line], y=780 - 20 * place) for place, line in [(3, 'Fourth, lock the door.'), (1, 'Second, close the valves.'), (0, 'First, switch off the pump.'), (2, 'Third, hang up the key.')])
    put('pdf/unordered.pdf', page_pdf(unordered, {'F1': HELVETICA}), 'en', 'Lines that are drawn in another order than they are read; written by hand.', ['First, switch off the pump.', 'Second, close the valves.', 'Third, hang up the key.', 'Fourth, lock the door.'], pages=1)
    turned = lines_of(['Sideways page of a survey', 'Plot 14 belongs to the parish.'], x=60, y=500)
    put('pdf/rotate-270.pdf', page_pdf(b'q 0 -1 1 0 0 842 cm ' + turned + b' Q', {'F1': HELVETICA}, extra=b'/Rotate 270'), 'en', 'A page that is turned by 270 degrees; written by hand.', ['Sideways page of a survey', 'Plot 14 belongs to the parish.'], pages=1)
    encoding = b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl /Lslash /zdotaccent /oacute /eogonek /Euro /zacute /sacute] >> >>'
    drawn = b'BT /F1 12 Tf 1 0 0 1 60 780 Tm (\x03\x05d\x08: dwie\x09cie) Tj ET BT /F1 12 Tf 1 0 0 1 60 760 Tm (of\x01ce of\x02ine r\x05\x04a k\x06s 5 \x07) Tj ET'
    put('pdf/differences.pdf', page_pdf(drawn, {'F1': encoding}), 'pl', 'Letters by their names in a font; written by hand.', ['Łódź: dwieście', 'office offline róża kęs 5 €'], pages=1)
    tounicode = b'/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <41> <0416> <42> <0443> <43> <043A> endbfchar 1 beginbfrange <61> <63> <0430> endbfrange endcmap end end'
    put('pdf/to-unicode.pdf', page_pdf(b'BT /F1 12 Tf 1 0 0 1 60 780 Tm (ABC bacbab) Tj ET', {'F1': b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>'}, objects=[stream(tounicode)]), 'ru', 'A ToUnicode map that makes Russian letters of Latin ones; written by hand.', ['Жук бавбаб'], pages=1)
    put('pdf/leading-bytes.pdf', b'\r\n\r\nHTTP junk\r\n' + page_pdf(lines_of(['The receipt number is 80155.']), {'F1': HELVETICA}), 'en', 'Bytes before the beginning of the PDF; written by hand.', ['The receipt number is 80155.'], pages=1)


def parse_cids(cmap):
    """Returns the glyph numbers of a CMap by the characters that it encodes in UTF-16."""
    cids = {}
    text = open(f'{CMAPS}/Adobe-Japan1/{cmap}', encoding='latin-1').read()
    for block in re.findall(r'begincidchar(.*?)endcidchar', text, re.S):
        for code, cid in re.findall(r'<([0-9a-fA-F]{4})>\s+(\d+)', block):
            cids[int(code, 16)] = int(cid)
    for block in re.findall(r'begincidrange(.*?)endcidrange', text, re.S):
        for first, last, cid in re.findall(r'<([0-9a-fA-F]{4})>\s*<([0-9a-fA-F]{4})>\s+(\d+)', block):
            for code in range(int(first, 16), int(last, 16) + 1):
                cids[code] = int(cid) + code - int(first, 16)
    return cids


def identity():
    lines = ['仕入先一覧表', '東海林商店は毎月末日に締め、翌月二十日に支払う。']
    cids = parse_cids('UniJIS-UTF16-H')
    content = b'\n'.join(b'BT /F1 12 Tf 1 0 0 1 60 %d Tm <%s> Tj ET' % (780 - 20 * number, ''.join(f'{cids[ord(letter)]:04x}' for letter in line).encode()) for number, line in enumerate(lines))
    font = b'<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /Identity-H /DescendantFonts [5 0 R] >>'
    descendant = b'<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor 6 0 R >>'
    descriptor = b'<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 859 /Descent -140 /CapHeight 700 /StemV 80 >>'
    put('pdf/identity-japan1.pdf', page_pdf(content, {'F1': font}, objects=[descendant, descriptor]), 'ja', 'Glyph numbers of Adobe-Japan1 without ToUnicode; written by hand.', lines, pages=1)

    reader = pypdf.PdfReader(io.BytesIO(weasyprint('<meta charset="utf-8"><p style="font-family:DejaVu Sans">Rechnung über vierzig Säcke Zement</p>')))
    writer = pypdf.PdfWriter(clone_from=reader)
    for item in writer._objects:
        if isinstance(item, DictionaryObject) and '/ToUnicode' in item:
            del item[NameObject('/ToUnicode')]
    buffer = io.BytesIO()
    writer.write(buffer)
    put('pdf/no-to-unicode.pdf', buffer.getvalue(), 'de', 'Glyph numbers of an embedded part of a font, of which nothing states the characters: no text is better than a wrong one.', refused='DOCUMENT_EMPTY')


def layouts():
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    page.setFont('Helvetica', 11)
    page.drawString(60, 780, 'Application for a parking permit')
    for number, (label, value) in enumerate([('Name', 'Rosalind Achterberg'), ('Plate', 'XR 442 B'), ('Street', '19 Cooper Lane')]):
        page.drawString(60, 740 - 30 * number, f'{label}:')
        page.acroForm.textfield(name=label.lower(), value=value, x=120, y=732 - 30 * number, width=200, height=20, borderWidth=0)
    page.save()
    put('pdf/form.pdf', buffer.getvalue(), 'en', 'A form that was filled in: the values of its fields; made by ReportLab.', ['Application for a parking permit', 'Name', 'Plate', 'Street'], anywhere=['Rosalind Achterberg', 'XR 442 B', '19 Cooper Lane'], pages=1)

    from PIL import Image
    from reportlab.lib.utils import ImageReader
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    page.drawImage(ImageReader(Image.new('L', (300, 200), 230)), 40, 500, 500, 320)
    text = page.beginText(60, 780)
    text.setTextRenderMode(3)
    text.setFont('Helvetica', 12)
    for line in ['Certificate of origin', 'The goods were produced in Porto Alegre.']:
        text.textLine(line)
    page.drawText(text)
    page.save()
    put('pdf/scan-with-text.pdf', buffer.getvalue(), 'en', 'A scan with the invisible text of a text recognition; made by ReportLab.', ['Certificate of origin', 'The goods were produced in Porto Alegre.'], pages=1)

    pdfmetrics.registerFont(TTFont('DejaVu', DEJAVU))
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    columns = [['1. Geltung', 'Diese Bedingungen gelten', 'für alle Lieferungen.', '2. Preise', 'Alle Preise verstehen sich', 'ab Werk.'],
               ['3. Gefahr', 'Die Gefahr geht mit der', 'Übergabe über.', '4. Gericht', 'Gerichtsstand ist', 'Osnabrück.']]
    for number in range(2):
        page.setFont('DejaVu', 9)
        page.drawString(60, 810, 'Allgemeine Geschäftsbedingungen')
        page.drawRightString(540, 810, f'Blatt {number + 1}')
        page.setFont('DejaVu', 11)
        for x, column in zip([60, 320], columns):
            for line, text in enumerate(column):
                page.drawString(x, 770 - 15 * line, text if number == 0 else text.replace('Lieferungen', 'Leistungen').replace('Werk', 'Lager'))
        page.showPage()
    page.save()
    first = ' '.join([*columns[0], *columns[1]])
    put('pdf/two-columns.pdf', buffer.getvalue(), 'de', 'Two pages of two columns, with heads; made by ReportLab.', [first, first.replace('Lieferungen', 'Leistungen').replace('Werk', 'Lager')],
        optional=['Allgemeine Geschäftsbedingungen Allgemeine Geschäftsbedingungen Blatt 1 Blatt 2'], pages=2)

    source = f'{ROOT}/pdf/sv-report-reportlab.pdf'
    from common import expect
    put('pdf/object-streams.pdf', shell(f'qpdf --object-streams=generate --linearize {source} a.pdf'), 'sv', 'Compressed objects, for reading page by page; by qpdf.', expect(TEXTS['sv-report']), pages=1)
    data = open(f'{ROOT}/pdf/running-heads.pdf', 'rb').read()
    put('pdf/damaged-table.pdf', re.sub(rb'startxref\n\d+', b'startxref\n7', data), 'en', 'The place of the table of objects is wrong: other programs repair it.',
        ['First quarter: forty-one claims were settled.', 'Second quarter: thirty-eight claims were settled.', 'Third quarter: claims about hail rose sharply.'], optional=['Meadow Mutual Insurance – Annual Report', 'Page 1 2 3 of 3'], pages=3)
    style = 'body{font:11pt "DejaVu Sans"} td,th{border:1px solid;padding:4px}'
    html = '<table><tr><th>Etapa</th><th>Responsable</th></tr><tr><td>Revisión de los planos por el ingeniero municipal</td><td>Oficina técnica, primer piso</td></tr><tr><td>Visto bueno</td><td>Alcaldía</td></tr></table>'
    put('pdf/wrapped-cells.pdf', chromium(f'<meta charset="utf-8"><style>{style} td{{width:110px}}</style>{html}'), 'es', 'Cells whose text has several lines; made by Chromium.',
        [table(['Etapa', 'Responsable'], [['Revisión de los planos por el ingeniero municipal', 'Oficina técnica, primer piso'], ['Visto bueno', 'Alcaldía']])], pages=1)
    html = '<p>Das Fass enthält 200 l H<sub>2</sub>O<sub>2</sub>; die Fläche beträgt 12 m<sup>2</sup>. Preis: <s>80</s> 75 €.</p><p style="letter-spacing:4px">Achtung Rutschgefahr</p><p><b>Fett</b>druck und <i>Kursiv</i>schrift.</p>'
    put('pdf/superscripts.pdf', chromium(f'<meta charset="utf-8"><style>{style}</style>{html}'), 'de', 'Raised and lowered digits, spread letters, and words of two types; made by Chromium.',
        ['Das Fass enthält 200 l H2O2; die Fläche beträgt 12 m2. Preis: 80 75 €.', 'Achtung Rutschgefahr', 'Fettdruck und Kursivschrift.'], pages=1)
    html = '<p dir="rtl" style="font-size:13pt">رقم الفاتورة 4711 بتاريخ 12/05/2026 للعميل Müller GmbH في برلين</p>'
    put('pdf/ar-mixed.pdf', chromium(f'<meta charset="utf-8"><style>{style}</style>{html}'), 'ar', 'Numbers and Latin words within Arabic; made by Chromium.', ['رقم الفاتورة 4711 بتاريخ 12/05/2026 للعميل Müller GmbH في برلين'], pages=1)
    html = '<p dir="rtl">הזמנה מספר 318 עבור Nordwind AS תסופק עד 3.9.2026 בשעה 14:30</p>'
    put('pdf/he-mixed.pdf', weasyprint(f'<meta charset="utf-8"><style>{style}</style>{html}'), 'he', 'Numbers and Latin words within Hebrew; made by WeasyPrint.', ['הזמנה מספר 318 עבור Nordwind AS תסופק עד 3.9.2026 בשעה 14:30'], pages=1)
    for name, maker in [('he-letter', 'weasyprint'), ('ar-notice', 'chromium')]:
        html = to_html(TEXTS[name], name[:2], style + ' body{direction:rtl}', head='<meta charset="utf-8">')
        put(f'pdf/{name}-{maker}.pdf', {'weasyprint': weasyprint, 'chromium': chromium}[maker](html), name[:2], f'Made by {"WeasyPrint" if maker == "weasyprint" else "Chromium"}.', expect(TEXTS[name]))


if __name__ == '__main__':
    by_hand()
    identity()
    layouts()
