"""Makes texts, pages, tables of text, mails and books: by hand, Python's email and csv, ebooklib and pandoc."""
import csv
import io
import json
import zipfile
from email.message import EmailMessage
from email.policy import SMTP

from ebooklib import epub

from common import ROOT, expect, put, table, to_html, to_text
from make_office import pandoc
from texts import TEXTS


def texts():
    for name, codec, note, bom in [
        ('fr-letter', 'cp1252', 'Windows-1252 with €, curly apostrophes and Œ.', b''),
        ('en-contract', 'cp1252', 'Windows-1252 with curly quotes and £.', b''),
        ('de-rental', 'iso8859-15', 'ISO-8859-15: its € is ¤ in Latin 1.', b''),
        ('es-minutes', 'iso8859-1', 'ISO-8859-1.', b''),
        ('pl-order', 'iso8859-2', 'ISO-8859-2, undeclared.', b''),
        ('cs-notice', 'cp1250', 'Windows-1250, undeclared.', b''),
        ('hu-letter', 'cp1250', 'Windows-1250, undeclared.', b''),
        ('ru-memo', 'cp1251', 'Windows-1251, undeclared.', b''),
        ('ru-contract', 'koi8-r', 'KOI8-R, undeclared.', b''),
        ('uk-schedule', 'cp1251', 'Windows-1251, undeclared.', b''),
        ('el-invoice', 'cp1253', 'Windows-1253, undeclared.', b''),
        ('ja-minutes', 'cp932', 'Shift_JIS, undeclared.', b''),
        ('ja-manual', 'euc_jp', 'EUC-JP, undeclared.', b''),
        ('ko-notice', 'euc_kr', 'EUC-KR, undeclared.', b''),
        ('ko-contract', 'cp949', 'EUC-KR, undeclared.', b''),
        ('tw-price', 'big5', 'Big5, undeclared.', b''),
        ('zh-minutes', 'gb18030', 'GB 18030, undeclared.', b''),
        ('zh-contract', 'utf-16-le', 'UTF-16 without a byte order mark.', b''),
        ('en-manual', 'utf-16-be', 'UTF-16 without a byte order mark.', b''),
        ('vi-price', 'utf-16-le', 'UTF-16 with a byte order mark.', b'\xff\xfe'),
        ('sv-report', 'utf-16-be', 'UTF-16 with a byte order mark.', b'\xfe\xff'),
        ('hi-circular', 'utf-8', 'UTF-8 with a byte order mark.', b'\xef\xbb\xbf'),
        ('th-notice', 'utf-8', 'UTF-8.', b''),
    ]:
        body = [(kind, *content) for kind, *content in TEXTS[name]]
        text = to_text(body, '\r\n' if bom else '\n')
        if codec == 'iso8859-2':
            text = text.replace('–', '-')
        if codec == 'koi8-r':
            text = text.replace('—', '-').replace('№', 'N').replace('«', '"').replace('»', '"').replace('м³', 'куб. м').replace('₽', 'руб.')
        if codec == 'cp1251':
            text = text.replace('₽', 'руб.')
        data = bom + text.encode(codec)
        lang = 'zh-TW' if name[:2] == 'tw' else name[:2]
        paragraphs = [part for part in text.replace('\r\n', '\n').split('\n\n') if part.strip()]
        put(f'text/{name}-{codec}{"-bom" if bom else ""}.txt', data, lang, note, [part.strip() for part in paragraphs])


def pages():
    for name, charset, codec in [
        ('ja-minutes', 'shift_jis', 'cp932'), ('ja-manual', 'euc-jp', 'euc_jp'), ('ko-notice', 'euc-kr', 'euc_kr'), ('tw-price', 'big5', 'big5'),
        ('zh-minutes', 'gb2312', 'gbk'), ('ru-memo', 'windows-1251', 'cp1251'), ('he-letter', 'windows-1255', 'cp1255'), ('ar-notice', 'windows-1256', 'cp1256'),
        ('th-notice', 'tis-620', 'tis-620'), ('fr-letter', 'iso-8859-1', 'cp1252'), ('tr-notice', 'iso-8859-9', 'iso8859-9'), ('vi-price', 'utf-8', 'utf-8'),
    ]:
        body = TEXTS[name]
        head = f'<meta charset="{charset}">' if len(charset) % 2 else f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
        put(f'html/{name}-{charset}.html', to_html(body, name[:2], head=head).encode(codec), 'zh-TW' if name[:2] == 'tw' else name[:2], f'The page states {charset}.', expect(body))
    put('html/pl-undeclared.html', to_html(TEXTS['pl-order'], 'pl').encode('iso8859-2'), 'pl', 'ISO-8859-2, undeclared.', expect(TEXTS['pl-order']))

    put('html/rowspan.html', '''<html><body><h1>Duty roster</h1><table><tr><th>Dept</th><th>Name</th><th>Pay</th></tr>
<tr><td rowspan="2">Harbour</td><td>Ann</td><td>51</td></tr><tr><td>Bob</td><td>67</td></tr><tr><td>Depot</td><td>Cleo</td><td>58</td></tr></table></body></html>''', 'en', 'A cell covers two rows.',
        ['Duty roster', table(['Dept', 'Name', 'Pay'], [['Harbour', 'Ann', '51'], ['^', 'Bob', '67'], ['Depot', 'Cleo', '58']])])
    put('html/two-heads.html', '''<html lang="cs"><meta charset="utf-8"><body><h1>Jízdné</h1><table><thead><tr><th rowspan="2">Trasa</th><th colspan="2">Jízdné</th><th rowspan="2">Doba</th></tr><tr><th>dospělí</th><th>děti</th></tr></thead>
<tbody><tr><td>Ostrava</td><td>12</td><td>6</td><td>1:40</td></tr><tr><td>Břeclav</td><td>19</td><td>9</td><td>1:25</td></tr></tbody></table></body></html>''', 'cs', 'A head of two rows, of which one cell covers two columns.',
        ['Jízdné', table(['Trasa', 'Jízdné › dospělí', 'Jízdné › děti', 'Doba'], [['Ostrava', '12', '6', '1:40'], ['Břeclav', '19', '9', '1:25']])])
    put('html/colspan-body.html', '''<html><body><h1>Semaine 32</h1><table><tr><th>Salle</th><th>Lundi</th><th>Mardi</th><th>Jeudi</th></tr>
<tr><td>A1</td><td colspan="2">Congrès</td><td>Yoga</td></tr><tr><td>B2</td><td>Chorale</td><td>Danse</td><td>Échecs</td></tr></table></body></html>'''.encode('utf-8'), 'fr', 'A cell covers two columns.',
        ['Semaine 32', table(['Salle', 'Lundi', 'Mardi', 'Jeudi'], [['A1', 'Congrès', '<', 'Yoga'], ['B2', 'Chorale', 'Danse', 'Échecs']])])
    put('html/row-heads.html', '''<html><body><h1>Opening hours</h1><table><caption>Winter timetable</caption><tr><td></td><th>Museum</th><th>Archive</th></tr>
<tr><th>Monday</th><td>closed</td><td>9–16</td></tr><tr><th>Friday</th><td>10–18</td><td>9–13</td></tr></table><p>Last entry: half an hour before closing.</p></body></html>''', 'en', 'A caption, and heads of rows.',
        ['Opening hours', 'Winter timetable', table(['', 'Museum', 'Archive'], [['Monday', 'closed', '9–16'], ['Friday', '10–18', '9–13']]), 'Last entry: half an hour before closing.'])
    put('html/entities.html', '''<!doctype html><html><head><title>Prix</title><style>p{color:red}</style><script>var hidden = "never"</script></head><body><nav><a href="/">Accueil</a></nav>
<p>Caf&eacute; &amp; th&eacute;&nbsp;: 3,50&nbsp;&euro;, d&#233;caf&#xE9;in&eacute; &frac12; tasse.</p><p>P&acirc;t&shy;is&shy;se&shy;rie<br>maison<!-- commentaire --></p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby></body></html>''', 'fr', 'Named characters, soft hyphens, scripts, comments and ruby.',
        ['Café & thé : 3,50 €, décaféiné ½ tasse.', 'Pâtisserie maison', '東京'], optional=['Prix Accueil とうきょう'])
    put('html/form.html', '''<!doctype html><html lang="de"><meta charset="utf-8"><body><h1>Anmeldung</h1><ol><li>Ausweis vorlegen</li><li>Gebühr von 28,80 € zahlen</li></ol><dl><dt>Öffnungszeiten</dt><dd>Montag bis Freitag, 8 bis 12 Uhr</dd><dt>Zimmer</dt><dd>E 04</dd></dl><pre>Konto  Betrag
4711   28,80</pre></body></html>''', 'de', 'Lists, terms and text with its own spaces.',
        ['Anmeldung', 'Ausweis vorlegen', 'Gebühr von 28,80 € zahlen', 'Öffnungszeiten', 'Montag bis Freitag, 8 bis 12 Uhr', 'Zimmer', 'E 04', 'Konto Betrag', '4711 28,80'], optional=['1 2'])


def separated():
    heads = ['Artikel', 'Preis', 'Bemerkung']
    rows = [['Schraube; verzinkt', '1,99', 'nur "lose" Ware'], ['Dübel', '0,49', 'Packung\nzu 50'], ['Winkel', '3,20', '']]
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=';')
    writer.writerows([heads, *rows])
    put('csv/semicolon.csv', buffer.getvalue(), 'de', 'Semicolons, with quoted separators, quotes and line ends.', [table(heads, rows)])
    put('csv/sep-line.csv', ('sep=;\r\n' + buffer.getvalue()).encode('cp1252'), 'de', 'A first line sep=; in Windows-1252.', [table(heads, rows)], optional=['sep'])
    for name, separator in [('pipe', '|'), ('tab', '\t')]:
        heads = ['Código', 'Cidade', 'Observação']
        rows = [['110', 'São João', 'entrega, manhã'], ['205', 'Belém', 'entrega, tarde'], ['318', 'Maceió', 'retirada']]
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=separator).writerows([heads, *rows])
        put(f'csv/{name}.{"tsv" if separator == chr(9) else "csv"}', buffer.getvalue(), 'pt', f'Columns by {name}, with commas in the cells.', [table(heads, rows)])
    heads = ['Name; first, last', 'City', 'Since']
    rows = [['Brontë; Anne, A.', 'Scarborough', '1849'], ['Gaskell; Eliza, E.', 'Knutsford', '1832']]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=',').writerows([heads, *rows])
    put('csv/quoted-head.csv', buffer.getvalue(), 'en', 'Other separators within quotes of the head.', [table(heads, rows)])
    buffer = io.StringIO()
    heads = ['"a;b;c;d"', 'x']
    buffer.write('"Teil;Nr;Lager";"Menge, Stück"\n"A;17;Nord";"3"\n"B;18;Süd";"5"\n')
    put('csv/semicolon-in-quotes.csv', buffer.getvalue(), 'de', 'The separator occurs within quotes of the head more often than outside.',
        [table(['Teil;Nr;Lager', 'Menge, Stück'], [['A;17;Nord', '3'], ['B;18;Süd', '5']])])
    for name, codec, lang in [('ru-contract', 'cp1251', 'ru'), ('zh-minutes', 'gb18030', 'zh'), ('ja-minutes', 'cp932', 'ja'), ('ko-notice', 'cp949', 'ko'), ('el-invoice', 'utf-8-sig', 'el')]:
        grid = next(item for item in TEXTS[name] if item[0] == 't')
        clean = [[cell.replace('₽', 'руб.').replace('м³', 'куб. м') if codec == 'cp1251' else cell for cell in row] for row in [grid[1], *grid[2]]]
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=',').writerows(clean)
        put(f'csv/{name}-{codec}.csv', buffer.getvalue().encode(codec), lang, f'In the encoding {codec}.', [table(clean[0], clean[1:])])
    grid = next(item for item in TEXTS['vi-price'] if item[0] == 't')
    put('csv/vi-price-utf-16.tsv', '\n'.join('\t'.join(row) for row in [grid[1], *grid[2]]).encode('utf-16'), 'vi', 'UTF-16 with a byte order mark, as Excel exports Unicode text.', [table(grid[1], grid[2])])


def markdown():
    for name in ['en-manual', 'es-invoice', 'zh-contract', 'ru-contract', 'ja-minutes']:
        out = []
        for number, item in enumerate(TEXTS[name]):
            if item[0] == 'h':
                out.append(('# ' if number == 0 else '## ') + item[1])
            elif item[0] == 'p':
                out.append(item[1])
            else:
                out.append('\n'.join('| ' + ' | '.join(row) + ' |' for row in [item[1], ['---'] * len(item[1]), *item[2]]))
        put(f'markdown/{name}.md', '\n\n'.join(out) + '\n', name[:2], 'Headings and a table.', expect(TEXTS[name]))
    put('markdown/mixed.md', '''---
title: Notfallplan
---

Notfallplan
===========

Bei **Stromausfall** zuerst den _Notstrom_ prüfen, dann [die Leitstelle](https://example.org/leitstelle) anrufen: `0800 555`.

1. Fenster schließen
2. Räume verlassen
   - Aufzug nicht benutzen

> Sammelplatz ist der Parkplatz Nord.

| Raum | Schlüssel |
|------|----------:|
| E 12 | rot \\| grün |
| K 3  | blau |

```
alarm --test
```
''', 'de', 'Front matter, lists, a quotation, code, and a bar within a cell.',
        ['Notfallplan', 'Bei Stromausfall zuerst den Notstrom prüfen, dann die Leitstelle anrufen: 0800 555.', 'Fenster schließen', 'Räume verlassen', 'Aufzug nicht benutzen',
         'Sammelplatz ist der Parkplatz Nord.', table(['Raum', 'Schlüssel'], [['E 12', 'rot | grün'], ['K 3', 'blau']]), 'alarm --test'],
        optional=['title Notfallplan', 'https://example.org/leitstelle', '1 2'])


def mail(language, subject, sender, to, date):
    message = EmailMessage(policy=SMTP)
    message['Subject'] = subject
    message['From'] = sender
    message['To'] = to
    message['Date'] = date
    return message


def put_mail(name, message, note, text, language, attachments=()):
    """The heads are read in any order; an attachment by its name."""
    data = message if isinstance(message, bytes) else message.as_bytes()
    subject, *body = text
    put(f'eml/{name}.eml', data, language, note, body, anywhere=[subject, *attachments],
        optional=['From To Subject Date Cc Sent Attachments Attachment: Von An Betreff', *(OTHER_HEADS)])


OTHER_HEADS = ['Jürgen Schäfer <j.schaefer@example.org>', '"Schäfer, Jürgen"', 'lager@example.org', '鈴木一郎 <suzuki@example.jp>', 'team@example.jp', 'Анна Орлова <orlova@example.ru>', 'sklad@example.ru',
               'Marie Dubois <marie@example.fr>', 'paul@example.fr', '陈立 <chen@example.cn>', '김민수 <kim@example.kr>', 'shop@example.com', 'customer@example.com', 'office@example.com',
               'Tue Wed Thu Mon Fri 03 02 09 04 05 Mar Apr May 2026 09:15:00 08:00:00 +0100 +0900 +0300 +0000 0000 0100 0300 0900 0800 GMT Z UTC 3 2 9 4 5 T09:15:00 09:15 08:00 2026-03-03 2026-04-02 2026-04-09 2026-05-04 00 15 23',
               'application pdf spreadsheet text plain html image png jpeg KB MB bytes B kB octet-stream vnd openxmlformats-officedocument spreadsheetml sheet']


def mails():
    date = 'Tue, 03 Mar 2026 09:15:00 +0100'
    message = mail('de', 'Lieferverzögerung bei Öltanks', 'Jürgen Schäfer <j.schaefer@example.org>', 'lager@example.org', date)
    paragraphs = ['Sehr geehrte Damen und Herren,', 'die bestellten Öltanks treffen erst am 17. März ein. Für die Verzögerung bitten wir um Entschuldigung.', 'Mit freundlichen Grüßen, Jürgen Schäfer']
    message.set_content('\n\n'.join(paragraphs), cte='quoted-printable')
    put_mail('de-quoted', message, 'Quoted-printable, with an encoded subject.', ['Lieferverzögerung bei Öltanks', *paragraphs], 'de')

    message = mail('ja', '会議室変更のお知らせ', '鈴木一郎 <suzuki@example.jp>', 'team@example.jp', date)
    paragraphs = ['各位', '明日の会議は第三会議室に変更となりました。', '開始時刻は午後二時のままです。']
    message.set_content('\n\n'.join(paragraphs), cte='base64')
    put_mail('ja-base64', message, 'Base64, with an encoded subject.', ['会議室変更のお知らせ', *paragraphs], 'ja')

    body = '\n\n'.join(paragraphs).encode('iso2022_jp')
    raw = b'From: suzuki@example.jp\r\nTo: team@example.jp\r\nSubject: =?ISO-2022-JP?B?GyRCMnE1RDw8Snk5OSROJCpDTiRpJDsbKEI=?=\r\nDate: Tue, 03 Mar 2026 09:15:00 +0900\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=ISO-2022-JP\r\nContent-Transfer-Encoding: 7bit\r\n\r\n' + body + b'\r\n'
    import email.header
    subject = str(email.header.make_header(email.header.decode_header('=?ISO-2022-JP?B?GyRCMnE1RDw8Snk5OSROJCpDTiRpJDsbKEI=?=')))
    put_mail('ja-iso-2022', raw, 'ISO-2022-JP, in the subject too.', [subject, *paragraphs], 'ja')

    message = mail('ru', 'Отгрузка задерживается', 'Анна Орлова <orlova@example.ru>', 'sklad@example.ru', date)
    paragraphs = ['Коллеги,', 'отгрузка партии 318 переносится на пятницу. Просим предупредить заказчика.']
    message.set_content('\n\n'.join(paragraphs), charset='koi8-r', cte='8bit')
    message.add_alternative('<html><body>' + ''.join(f'<p>{text}</p>' for text in paragraphs) + '</body></html>', subtype='html', charset='koi8-r')
    put_mail('ru-alternative', message, 'The same text twice, plain and as HTML, in KOI8-R: it is read once.', ['Отгрузка задерживается', *paragraphs], 'ru')

    message = mail('fr', 'Votre commande n° 4512', 'Marie Dubois <marie@example.fr>', 'paul@example.fr', date)
    rows = [['Théière', '2', '38,00 €'], ['Bouilloire', '1', '54,90 €']]
    html = '<html><head><style>td{padding:3px}</style></head><body><p>Bonjour Paul, voici le détail de votre commande.</p><table><tr><th>Article</th><th>Quantité</th><th>Prix</th></tr>' + ''.join('<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in rows) + '</table><p>À bientôt !</p></body></html>'
    message.set_content(html, subtype='html', cte='quoted-printable')
    put_mail('fr-html', message, 'HTML alone, with a table.', ['Votre commande n° 4512', 'Bonjour Paul, voici le détail de votre commande.', table(['Article', 'Quantité', 'Prix'], rows), 'À bientôt !'], 'fr')

    message = mail('zh', '三月份对账单', '陈立 <chen@example.cn>', 'office@example.com', date)
    paragraphs = ['您好，', '附件是三月份的对账单，请核对后回复。']
    message.set_content('\n\n'.join(paragraphs), charset='gb18030', cte='base64')
    message.add_attachment(b'%PDF-1.4\n%stub', maintype='application', subtype='pdf', filename='对账单2026年3月.pdf')
    message.add_attachment(b'\x89PNG' + bytes(300), maintype='image', subtype='png', filename='stamp.png')
    put_mail('zh-attachments', message, 'Attachments: their names are read, their bytes are not.', ['三月份对账单', *paragraphs], 'zh', ['对账单2026年3月.pdf', 'stamp.png'])

    message = mail('ko', '납품 일정 문의', '김민수 <kim@example.kr>', 'shop@example.com', date)
    paragraphs = ['안녕하세요.', '주문한 부품의 납품 일정을 알려 주시기 바랍니다.']
    message.set_content('\n\n'.join(paragraphs), charset='euc-kr', cte='8bit')
    put_mail('ko-8bit', message, 'EUC-KR as it is, without a transfer encoding.', ['납품 일정 문의', *paragraphs], 'ko')

    inner = mail('en', 'Broken pallet', 'customer@example.com', 'shop@example.com', 'Mon, 02 Mar 2026 08:00:00 +0000')
    inner.set_content('One pallet of bricks arrived broken.\n\nPlease send a replacement by Thursday.')
    message = mail('en', 'Fwd: Broken pallet', 'shop@example.com', 'office@example.com', date)
    message.set_content('Could you handle this complaint?')
    message.add_attachment(inner)
    put_mail('en-forwarded', message, 'A mail within a mail.', ['Fwd: Broken pallet', 'Could you handle this complaint?'], 'en')
    # The text of a mail within a mail may be read or left to the name of the attachment.
    path = f'{ROOT}/eml/en-forwarded.eml.json'
    expected = json.load(open(path))
    expected['optional'].append('One pallet of bricks arrived broken. Please send a replacement by Thursday. message rfc822 eml Broken pallet')
    put('eml/en-forwarded.eml', None, 'en', expected['note'], expected['text'], anywhere=expected['anywhere'], optional=expected['optional'])

    lines = ['Hi all,', 'the stocktaking starts at six. Bring your scanners, and remember the café key.']
    raw = ('From: office@example.com\nTo: customer@example.com\nSubject: =?utf-8?Q?Stocktaking_=E2=80=93_caf=C3=A9?= =?utf-8?Q?_key?=\nDate: Tue, 03 Mar 2026 09:15:00 +0100\nMIME-Version: 1.0\nContent-Type: text/plain; charset="utf-8"; format=flowed\nContent-Transfer-Encoding: quoted-printable\n\nHi all,\n\nthe stocktaking starts at six.=20\nBring your scanners, and re=\nmember the caf=C3=A9 key.\n').encode()
    put_mail('en-flowed', raw, 'A subject in two encoded words, soft line ends, and bare line feeds.', ['Stocktaking – café key', *lines], 'en')

    raw = ('From: office@example.com\r\nSubject: Fire drill\r\nDate: Tue, 03 Mar 2026 09:15:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="outer"\r\n\r\nThis is a message in MIME format.\r\n--outer\r\nContent-Type: multipart/related; boundary="middle"\r\n\r\n--middle\r\nContent-Type: multipart/alternative; boundary=inner\r\n\r\n--inner\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nThe drill begins at noon. Use the west stairs.\r\n--inner\r\nContent-Type: text/html; charset=us-ascii\r\n\r\n<p>The drill begins at noon. Use the west stairs.</p><img src="cid:map">\r\n--inner--\r\n--middle\r\nContent-Type: image/png; name="map.png"\r\nContent-ID: <map>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgoAAAANSUhEUg==\r\n--middle--\r\n--outer\r\nContent-Type: text/plain; name="assembly-points.txt"\r\nContent-Disposition: attachment; filename="assembly-points.txt"\r\n\r\nPoint A: car park\r\n--outer--\r\n').encode()
    put_mail('en-nested', raw, 'Parts three levels deep, with a picture and a text attached.', ['Fire drill', 'The drill begins at noon. Use the west stairs.'], 'en', ['assembly-points.txt'])


def books():
    for name in ['fr-manual', 'ru-memo', 'ja-manual']:
        book = epub.EpubBook()
        book.set_identifier(name)
        book.set_title(TEXTS[name][0][1])
        book.set_language(name[:2])
        chapters = []
        for number, text in enumerate(expect(TEXTS[name])[1:], 1):
            chapter = epub.EpubHtml(title=f'{number}', file_name=f'chapter-{9 - number}.xhtml', lang=name[:2])
            chapter.content = f'<html><body>{"<h1>" + TEXTS[name][0][1] + "</h1>" if number == 1 else ""}<p>{text}</p></body></html>'
            book.add_item(chapter)
            chapters.append(chapter)
        book.toc = chapters
        book.add_item(epub.EpubNcx())
        book.add_item(epub.EpubNav())
        book.spine = chapters
        buffer = io.BytesIO()
        epub.write_epub(buffer, book)
        put(f'epub/{name}.epub', buffer.getvalue(), name[:2], 'Files whose names are in the reverse order of the chapters; made by ebooklib.', expect(TEXTS[name]), optional=[TEXTS[name][0][1], '1 2 3'])
    for name in ['de-rental', 'es-invoice', 'hi-circular']:
        html = to_html(TEXTS[name], name[:2], title=False)
        put(f'epub/{name}-pandoc.epub', pandoc(html, 'epub'), name[:2], 'Made by pandoc.', expect(TEXTS[name]), optional=[TEXTS[name][0][1], 'a Untitled Title Page'])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as file:
        file.writestr(zipfile.ZipInfo('mimetype'), 'application/epub+zip')
        file.writestr('META-INF/container.xml', '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="Text Files/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>')
        file.writestr('Text Files/book.opf', '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Polne drogi</dc:title><dc:language>pl</dc:language><dc:identifier id="i">x</dc:identifier></metadata><manifest><item id="a" href="rozdzia%C5%82%20drugi.xhtml" media-type="application/xhtml+xml"/><item id="b" href="../first.html" media-type="application/xhtml+xml"/><item id="c" href="unused.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>')
        page = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>%s</body></html>'
        file.writestr('first.html', page % '<h1>Rozdział pierwszy</h1><p>Droga wiodła przez pole żyta.</p>')
        file.writestr('Text Files/rozdział drugi.xhtml', page % '<h1>Rozdział drugi</h1><p>Źrebię uciekło w stronę młyna.</p>')
        file.writestr('Text Files/unused.xhtml', page % '<p>Tej strony nikt nie czyta.</p>')
    put('epub/pl-paths.epub', buffer.getvalue(), 'pl', 'Chapters by encoded paths in other folders, and a file that is not in the spine.',
        ['Rozdział pierwszy', 'Droga wiodła przez pole żyta.', 'Rozdział drugi', 'Źrebię uciekło w stronę młyna.'], optional=['Polne drogi x x'])


if __name__ == '__main__':
    texts()
    pages()
    separated()
    markdown()
    mails()
    books()
