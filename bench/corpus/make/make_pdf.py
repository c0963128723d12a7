"""Makes PDFs by many programs, and writes those by hand that need encodings or layouts of their own."""
import io
import subprocess
import tempfile

import pypdf
from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import pagesizes
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table
from weasyprint import HTML

from common import ROOT, expect, put, table, to_html
from make_office import convert, run
from texts import TEXTS

DEJAVU = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
CHROMIUM = ['/usr/bin/chromium-headless-shell', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer']


def in_folder(work):
    with tempfile.TemporaryDirectory() as folder:
        return work(folder)


def chromium(html):
    def work(folder):
        with open(f'{folder}/a.html', 'w', encoding='utf-8') as file:
            file.write(html)
        run(*CHROMIUM, f'--user-data-dir={folder}/p', f'--print-to-pdf={folder}/a.pdf', f'file://{folder}/a.html')
        return open(f'{folder}/a.pdf', 'rb').read()
    return in_folder(work)


def shell(command, **files):
    """Runs a command in a folder of some files, and returns its a.pdf."""
    def work(folder):
        for name, content in files.items():
            with open(f'{folder}/{name.replace("_", ".")}', 'w', encoding='utf-8') as file:
                file.write(content)
        subprocess.run(command, shell=True, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        return open(f'{folder}/a.pdf', 'rb').read()
    return in_folder(work)


def weasyprint(html):
    return HTML(string=html).write_pdf()


def wkhtmltopdf(html):
    return shell('QT_QPA_PLATFORM=offscreen wkhtmltopdf -q --encoding utf-8 a.html a.pdf', a_html=html)


def through_programs():
    style = 'body{font-family:"DejaVu Sans","Noto Sans","VL Gothic","NanumGothic",sans-serif;font-size:11pt} td,th{padding:2px 12px;text-align:left}'
    makers = {'chromium': chromium, 'weasyprint': weasyprint, 'wkhtmltopdf': wkhtmltopdf,
              'lo': lambda html: convert(html, 'pdf:writer_web_pdf_Export', extra=['--writer'])}
    titles = {'chromium': 'Chromium', 'weasyprint': 'WeasyPrint', 'wkhtmltopdf': 'wkhtmltopdf', 'lo': 'LibreOffice'}
    for name, maker in [
        ('en-contract', 'chromium'), ('de-rental', 'chromium'), ('ru-contract', 'chromium'), ('zh-minutes', 'weasyprint'), ('hi-circular', 'chromium'),
        ('he-letter', 'chromium'), ('vi-price', 'chromium'), ('th-notice', 'chromium'),
        ('fr-letter', 'weasyprint'), ('ja-minutes', 'weasyprint'), ('el-invoice', 'weasyprint'), ('ar-notice', 'weasyprint'),
        ('pl-order', 'wkhtmltopdf'), ('ko-notice', 'wkhtmltopdf'), ('es-minutes', 'wkhtmltopdf'),
        ('cs-notice', 'lo'), ('tw-price', 'lo'), ('uk-schedule', 'lo'), ('nl-rules', 'lo'),
    ]:
        body = TEXTS[name]
        lang = {'tw': 'zh-TW'}.get(name[:2], name[:2])
        html = to_html(body, lang, style + (' body{direction:rtl}' if lang in ('ar', 'he') else ''), head='<meta charset="utf-8">')
        put(f'pdf/{name}-{maker}.pdf', makers[maker](html), lang, f'Made by {titles[maker]}.', expect(body))


def plain_programs():
    letter = ['Dear Mr. Okonkwo,', 'the official offer of our office is affixed below. We find that efficient shuffling of the filing cabinets would be sufficient.', 'Yours sincerely, Griffin Huffman']
    put('pdf/groff.pdf', shell('groff -Tpdf -ms a.ms > a.pdf', a_ms='.LP\n' + '\n.LP\n'.join(letter) + '\n'), 'en', 'Ligatures and hyphenation by groff.', letter, optional=['1'])
    put('pdf/groff-gs.pdf', shell('groff -Tps -ms a.ms > a.ps && gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile=a.pdf a.ps', a_ms='.ll 3i\n.LP\n' + '\n.LP\n'.join(letter) + '\n'), 'en', 'PostScript of groff, distilled by Ghostscript, in a narrow column.', letter)
    ru = TEXTS['ru-memo']
    put('pdf/ru-memo-pango.pdf', shell('pango-view -q --no-display --width=380 --font="DejaVu Serif 11" --output=a.pdf a.txt', a_txt='\n\n'.join(expect(ru))), 'ru', 'Made by pango and cairo.', expect(ru))
    ja = TEXTS['ja-manual']
    put('pdf/ja-manual-pango.pdf', shell('pango-view -q --no-display --width=300 --font="VL Gothic 11" --output=a.pdf a.txt', a_txt='\n\n'.join(expect(ja))), 'ja', 'Made by pango and cairo.', expect(ja))
    fr = TEXTS['fr-manual']
    put('pdf/fr-manual-gs.pdf', shell('pango-view -q --no-display --width=380 --font="DejaVu Serif 11" --output=b.pdf a.txt && gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile=a.pdf b.pdf', a_txt='\n\n'.join(expect(fr))), 'fr', 'Made by cairo, distilled by Ghostscript.', expect(fr))
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><text x="20" y="40" font-family="DejaVu Sans" font-size="20">Plano de evacuação</text><text x="20" y="80" font-family="DejaVu Sans" font-size="12">Saída pela escada norte</text><text x="20" y="100" font-family="DejaVu Sans" font-size="12">Ponto de encontro: estacionamento</text></svg>'
    put('pdf/svg-cairo.pdf', shell('rsvg-convert -f pdf -o a.pdf a.svg', a_svg=svg), 'pt', 'A drawing, made by librsvg.', ['Plano de evacuação', 'Saída pela escada norte', 'Ponto de encontro: estacionamento'])
    tex = r'''\documentclass[10pt,twocolumn]{article}\usepackage[T1]{fontenc}\usepackage{lmodern}\usepackage[utf8]{inputenc}\setlength{\columnsep}{30pt}\setlength{\textheight}{2.1in}
\begin{document}\section*{Untersuchungsbericht}%s\end{document}'''
    paragraphs = ['Die Geschwindigkeitsüberschreitung wurde durch die Verkehrsüberwachungsanlage festgestellt. Die Arbeitsunfähigkeitsbescheinigung liegt der Versicherungsgesellschaft seit Donnerstagnachmittag vor.',
                  'Sämtliche Schadensersatzansprüche wurden von der Rechtsschutzversicherung abgelehnt, weil die Selbstbeteiligungsvereinbarung offensichtlich missverständlich formuliert worden war.',
                  'Das Oberverwaltungsgericht befasst sich mit der Grundstücksverkehrsgenehmigung und mit der Zuständigkeitsübertragung auf die Wasserwirtschaftsverwaltung. Auffällige Abweichungen fanden sich häufig bei Haftpflichtfällen.',
                  'Empfohlen wird eine außergerichtliche Verständigung. Offene Fragen beantwortet die Geschäftsstelle.']
    put('pdf/de-latex.pdf', shell('pdflatex -interaction=batchmode a.tex', a_tex=tex % '\n\n'.join(paragraphs)), 'de', 'Two columns, hyphenation and ligatures by LaTeX.', ['Untersuchungsbericht', *paragraphs], optional=['1'], pages=1)
    tex = r'''\documentclass{article}\begin{document}\section{Deflection of beams}The offset of the flange is five millimetres\footnote{Measured at the end.}. The efficiency reaches 93\%%.
\begin{tabular}{lrr}Beam & Load & Offset \\ Oak & 40 kN & 5 mm \\ Fir & 32 kN & 9 mm\end{tabular}\end{document}'''.replace('%%', '%')
    put('pdf/en-latex.pdf', shell('pdflatex -interaction=batchmode a.tex', a_tex=tex), 'en', 'A footnote and a table by LaTeX, with fonts of Type 1.',
        ['Deflection of beams', 'The offset of the flange is five millimetres', 'The efficiency reaches 93%.', table(['Beam', 'Load', 'Offset'], [['Oak', '40 kN', '5 mm'], ['Fir', '32 kN', '9 mm']])],
        anywhere=['Measured at the end.'], optional=['1 1 1 1'])
    columns = TEXTS['es-minutes']
    html = to_html(columns, 'es', 'body{columns:2;font:10pt "DejaVu Sans";text-align:justify;hyphens:auto}', head='<meta charset="utf-8">')
    put('pdf/es-columns.pdf', chromium(html), 'es', 'Two columns with hyphenation, by Chromium.', expect(columns))


def reportlab_documents():
    pdfmetrics.registerFont(TTFont('DejaVu', DEJAVU))
    styles = getSampleStyleSheet()
    for style in styles.byName.values():
        style.fontName = 'DejaVu'
    for name in ['sv-report', 'pt-form']:
        body = TEXTS[name]
        buffer = io.BytesIO()
        story = []
        for item in body:
            if item[0] == 't':
                story += [Table([item[1], *item[2]], style=[('FONTNAME', (0, 0), (-1, -1), 'DejaVu')]), Spacer(1, 12)]
            else:
                story.append(Paragraph(item[1], styles['Heading1' if item[0] == 'h' else 'BodyText']))
        SimpleDocTemplate(buffer, pagesize=pagesizes.A4).build(story)
        put(f'pdf/{name}-reportlab.pdf', buffer.getvalue(), name[:2], 'Made by ReportLab.', expect(body))
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    lines = TEXTS['it-letter']
    page.setFont('Times-Roman', 11)
    y = 780
    for item in lines:
        words, line = item[1].split(), ''
        for word in words:
            if len(line) + len(word) > 70:
                page.drawString(60, y, line)
                y -= 14
                line = ''
            line = f'{line} {word}'.strip()
        page.drawString(60, y, line)
        y -= 28
    page.showPage()
    page.save()
    put('pdf/it-letter-reportlab.pdf', buffer.getvalue(), 'it', 'A standard font without ToUnicode, made by ReportLab.', expect(lines), pages=1)
    for name, font in [('zh-contract', 'STSong-Light'), ('ja-minutes', 'HeiseiMin-W3'), ('ko-contract', 'HYSMyeongJo-Medium')]:
        pdfmetrics.registerFont(UnicodeCIDFont(font))
        buffer = io.BytesIO()
        page = canvas.Canvas(buffer)
        y = 780
        for text in expect(TEXTS[name], flat=True):
            page.setFont(font, 11)
            step = 36
            for start in range(0, len(text), step):
                page.drawString(60, y, text[start:start + step])
                y -= 16
            y -= 10
        page.save()
        put(f'pdf/{name}-cid.pdf', buffer.getvalue(), name[:2], f'The font {font} is not embedded; made by ReportLab.', broken(expect(TEXTS[name], flat=True), step) if name[:2] == 'ko' else expect(TEXTS[name], flat=True), pages=1)

    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    for number, text in enumerate(['First quarter: forty-one claims were settled.', 'Second quarter: thirty-eight claims were settled.', 'Third quarter: claims about hail rose sharply.'], 1):
        page.setFont('Helvetica', 8)
        page.drawString(60, 810, 'Meadow Mutual Insurance – Annual Report')
        page.drawString(280, 30, f'Page {number} of 3')
        page.setFont('Helvetica', 11)
        page.drawString(60, 740, text)
        page.showPage()
    page.save()
    put('pdf/running-heads.pdf', buffer.getvalue(), 'en', 'Each page has a head and a number.', ['First quarter: forty-one claims were settled.', 'Second quarter: thirty-eight claims were settled.', 'Third quarter: claims about hail rose sharply.'],
        optional=['Meadow Mutual Insurance – Annual Report', 'Page 1 2 3 of 3'], pages=3)

    buffer = io.BytesIO()
    page = canvas.Canvas(buffer, pagesize=(595, 842))
    page.setPageRotation(90)
    page.rotate(90)
    page.setFont('Helvetica', 12)
    for number, text in enumerate(['Crane inspection schedule', 'Crane 4 is inspected every 90 days by Messrs. Tilbury.', 'Crane 5 is out of service until its rope is replaced.']):
        page.drawString(60, -60 - 30 * number, text)
    page.save()
    put('pdf/rotated-page.pdf', buffer.getvalue(), 'en', 'A page that is turned, with its text turned too.', ['Crane inspection schedule', 'Crane 4 is inspected every 90 days by Messrs. Tilbury.', 'Crane 5 is out of service until its rope is replaced.'], pages=1)

    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    page.setFont('Helvetica-Bold', 18)
    for shift in (0, 0.4):
        page.drawString(60 + shift, 780, 'WARNING: HIGH VOLTAGE')
    page.setFont('Helvetica', 11)
    page.drawString(60, 750, 'Only electricians may open the cabinet.')
    for shift in (0, 0.3):
        page.drawString(60 + shift, 730, 'Call 555 0199 before you begin.')
    page.save()
    put('pdf/doubled-bold.pdf', buffer.getvalue(), 'en', 'Bold type that is drawn twice.', ['WARNING: HIGH VOLTAGE', 'Only electricians may open the cabinet.', 'Call 555 0199 before you begin.'], pages=1)
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    page.setFont('Helvetica-Bold', 14)
    x = 60
    for letter in 'Kündigungsfrist':
        for shift in (0, 0.35):
            page.drawString(x + shift, 780, letter)
        x += pdfmetrics.stringWidth(letter, 'Helvetica-Bold', 14)
    page.setFont('Helvetica', 11)
    page.drawString(60, 750, 'Sie beträgt drei Monate zum Quartalsende.')
    page.save()
    put('pdf/doubled-letters.pdf', buffer.getvalue(), 'de', 'Each letter of a bold line is drawn twice, one after the other.', ['Kündigungsfrist', 'Sie beträgt drei Monate zum Quartalsende.'], pages=1)

    buffer = io.BytesIO()
    page = canvas.Canvas(buffer)
    left = ['Tenants shall keep the', 'stairs free of prams and', 'bicycles at all times.', 'Rubbish is collected on', 'Tuesdays before eight.']
    right = ['Guests may park for two', 'hours behind the house.', 'The lift carries at most', 'six persons or 450 kg.', 'Report faults by phone.']
    page.setFont('Helvetica', 11)
    for number, (one, other) in enumerate(zip(left, right)):
        page.drawString(60, 780 - 14 * number, one)
        page.drawString(320, 780 - 14 * number, other)
    page.save()
    put('pdf/columns-by-line.pdf', buffer.getvalue(), 'en', 'Two columns, drawn line by line across both.', [' '.join(left), ' '.join(right)], pages=1)


def broken(texts, step):
    """Returns the texts as lines of a number of characters, for languages whose words are cut by the line."""
    return [' '.join(text[start:start + step] for start in range(0, len(text), step)) for text in texts]


def fpdf_documents():
    for name in ['hu-letter', 'tr-notice']:
        pdf = FPDF()
        pdf.add_page()
        pdf.add_font('DejaVu', '', DEJAVU)
        for item in TEXTS[name]:
            pdf.set_font('DejaVu', size=16 if item[0] == 'h' else 11)
            pdf.multi_cell(0, 8, item[1], new_x='LMARGIN', new_y='NEXT')
            pdf.ln(4)
        put(f'pdf/{name}-fpdf.pdf', bytes(pdf.output()), name[:2], 'Made by fpdf2.', expect(TEXTS[name]), pages=1)


def raw_pdf(objects):
    """Returns a PDF of objects; the first one is the catalog."""
    out = io.BytesIO()
    out.write(b'%PDF-1.5\n')
    offsets = []
    for number, data in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b'%d 0 obj\n%s\nendobj\n' % (number, data))
    start = out.tell()
    out.write(b'xref\n0 %d\n0000000000 65535 f \n' % (len(objects) + 1))
    for offset in offsets:
        out.write(b'%010d 00000 n \n' % offset)
    out.write(b'trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n' % (len(objects) + 1, start))
    return out.getvalue()


def stream(data):
    return b'<< /Length %d >>\nstream\n%s\nendstream' % (len(data), data)


def cid_pdf(lines, cmap, codec, ordering, font, latin=None):
    """A PDF whose text is in a predefined CMap, in a font that is neither embedded nor has a ToUnicode map."""
    drawn = b'\n'.join(b'BT /F1 12 Tf 1 0 0 1 60 %d Tm <%s> Tj ET' % (780 - 20 * number, line.encode(codec).hex().encode()) for number, line in enumerate(lines))
    if latin:
        drawn += b'\nBT /F2 12 Tf 1 0 0 1 60 600 Tm (%s) Tj ET' % latin.encode('ascii')
    if cmap.endswith('-V'):
        drawn = b'\n'.join(b'BT /F1 12 Tf 1 0 0 1 %d 780 Tm <%s> Tj ET' % (500 - 24 * number, line.encode(codec).hex().encode()) for number, line in enumerate(lines))
    return raw_pdf([
        b'<< /Type /Catalog /Pages 2 0 R >>',
        b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 8 0 R >> >> >>',
        stream(drawn),
        b'<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /%s /DescendantFonts [6 0 R] >>' % (font.encode(), cmap.encode()),
        b'<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (%s) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>' % (font.encode(), ordering.encode()),
        b'<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 859 /Descent -140 /CapHeight 700 /StemV 80 >>' % font.encode(),
        b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ])


def cmap_documents():
    zh = ['审计报告', '我们审计了后附的财务报表，包括资产负债表和利润表。', '管理层负责编制财务报表，并使其实现公允反映。']
    tw = ['會議通知', '茲定於九月三日下午二時召開董事會，請準時出席。', '附件：議程與上次會議紀錄各一份。']
    ja = ['会議のお知らせ', '来週の定例会議は第二会議室で行います。', '資料は前日までに各自で印刷してください。']
    ko = ['회의 안내', '다음 회의는 본관 삼층 회의실에서 열립니다.', '자료는 전날까지 제출해 주십시오.']
    for cmap, codec, ordering, font, lang, lines in [
        ('GBK-EUC-H', 'gbk', 'GB1', 'SimSun', 'zh', zh), ('GB-EUC-H', 'gb2312', 'GB1', 'SimHei', 'zh', zh),
        ('GBKp-EUC-H', 'gbk', 'GB1', 'SimSun', 'zh', zh), ('GBK2K-H', 'gb18030', 'GB1', 'STSong', 'zh', zh),
        ('UniGB-UCS2-H', 'utf-16-be', 'GB1', 'STSong-Light', 'zh', zh), ('UniGB-UTF16-H', 'utf-16-be', 'GB1', 'STSong-Light', 'zh', zh),
        ('ETen-B5-H', 'big5', 'CNS1', 'MingLiU', 'zh-TW', tw), ('UniCNS-UCS2-H', 'utf-16-be', 'CNS1', 'MSung-Light', 'zh-TW', tw),
        ('90ms-RKSJ-H', 'cp932', 'Japan1', 'MS-Mincho', 'ja', ja), ('EUC-H', 'euc_jp', 'Japan1', 'Ryumin-Light', 'ja', ja),
        ('UniJIS-UCS2-H', 'utf-16-be', 'Japan1', 'HeiseiMin-W3', 'ja', ja), ('90ms-RKSJ-V', 'cp932', 'Japan1', 'MS-Mincho', 'ja', ja),
        ('UniJIS-UTF16-H', 'utf-16-be', 'Japan1', 'KozMinPr6N-Regular', 'ja', ja),
        ('KSCms-UHC-H', 'cp949', 'Korea1', 'Batang', 'ko', ko), ('KSC-EUC-H', 'euc_kr', 'Korea1', 'Dotum', 'ko', ko), ('UniKS-UCS2-H', 'utf-16-be', 'Korea1', 'HYSMyeongJo-Medium', 'ko', ko),
    ]:
        put(f'pdf/cmap-{cmap}.pdf', cid_pdf(lines, cmap, codec, ordering, font), lang, f'Text in the encoding {cmap}, without ToUnicode.', lines, pages=1)
    mixed = 'Invoice 2026-118, total CNY 8400'
    put('pdf/cmap-mixed.pdf', cid_pdf(zh, 'GBK-EUC-H', 'gbk', 'GB1', 'SimSun', mixed), 'zh', 'A Latin font beside one in GBK-EUC-H, without ToUnicode.', [*zh, mixed], pages=1)


def scans_and_locks():
    image = Image.new('L', (620, 400), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(DEJAVU, 22)
    for number, text in enumerate(['Quittance de loyer', 'Reçu la somme de 640 euros', 'Fait à Brest le 4 mai']):
        draw.text((40, 40 + 50 * number), text, font=font, fill=0)
    buffer = io.BytesIO()
    image.save(buffer, 'PDF', resolution=100)
    put('pdf/scan-fr.pdf', buffer.getvalue(), 'fr', 'A scan: a picture alone, made by Pillow.', refused='DOCUMENT_EMPTY')
    png = io.BytesIO()
    image.rotate(2, fillcolor=255).save(png, 'PNG')
    buffer = io.BytesIO()
    from reportlab.lib.utils import ImageReader
    page = canvas.Canvas(buffer)
    for _ in range(2):
        page.drawImage(ImageReader(io.BytesIO(png.getvalue())), 40, 300, 500, 320)
        page.showPage()
    page.save()
    put('pdf/scan-two-pages.pdf', buffer.getvalue(), 'fr', 'A scan of two pages, made by ReportLab.', refused='DOCUMENT_EMPTY')

    def lock(source, **options):
        writer = pypdf.PdfWriter(clone_from=source)
        writer.encrypt(**options)
        buffer = io.BytesIO()
        writer.write(buffer)
        return buffer.getvalue()
    source = f'{ROOT}/pdf/running-heads.pdf'
    put('pdf/locked-rc4.pdf', lock(source, user_password='secret', algorithm='RC4-128'), 'en', 'Protected by a password.', refused='DOCUMENT_ENCRYPTED')
    put('pdf/locked-aes.pdf', shell(f'qpdf --encrypt secret owner 256 -- {source} a.pdf'), 'en', 'Protected by a password, by qpdf.', refused='DOCUMENT_ENCRYPTED')
    put('pdf/owner-password.pdf', shell(f'qpdf --encrypt "" owner 256 -- {ROOT}/pdf/doubled-bold.pdf a.pdf'), 'en', 'Only changes are protected by a password: it can be read. Bold type that is drawn twice.',
        ['WARNING: HIGH VOLTAGE', 'Only electricians may open the cabinet.', 'Call 555 0199 before you begin.'], pages=1)


if __name__ == '__main__':
    through_programs()
    plain_programs()
    reportlab_documents()
    fpdf_documents()
    cmap_documents()
    scans_and_locks()
