"""Makes texts, pages, tables of text, mails and books with the features that are hard to read."""
import base64
import json
import quopri

from common import ROOT, put, table, to_text
from make_sheets import zipped
from make_text import mail, put_mail
from texts import TEXTS


def separated():
    bank = 'Kontoauszug;;;\r\nInhaber:;Werft Kröger GmbH;;\r\nZeitraum:;01.05.2026 bis 31.05.2026;;\r\n;;;\r\nBuchung;Empfänger;Zweck;Betrag\r\n04.05.2026;Stadtwerke;Strom April;-318,40\r\n11.05.2026;Reederei Voss;Rechnung 88;12.450,00\r\n'
    rows = [['04.05.2026', 'Stadtwerke', 'Strom April', '-318,40'], ['11.05.2026', 'Reederei Voss', 'Rechnung 88', '12.450,00']]
    put('csv/bank-title.csv', bank.encode('cp1252'), 'de', 'Lines about the table above its head, in Windows-1252.',
        ['Kontoauszug', 'Inhaber: Werft Kröger GmbH', 'Zeitraum: 01.05.2026 bis 31.05.2026', table(['Buchung', 'Empfänger', 'Zweck', 'Betrag'], rows)])
    put('csv/title-line.csv', 'Členská základna 2026\n\nJméno,Město,Příspěvek\nČeněk,Třebíč,350\nŠárka,Plzeň,300\n', 'cs', 'A title and an empty line above the head.',
        ['Členská základna 2026', table(['Jméno', 'Město', 'Příspěvek'], [['Čeněk', 'Třebíč', '350'], ['Šárka', 'Plzeň', '300']])])
    put('csv/decimal-commas.csv', 'Artículo;Peso;Precio\nTornillo;0,35;1,20\nTuerca;0,12;0,80\nArandela;0,05;0,10\n', 'es', 'More commas, in numbers, than separators.', [table(['Artículo', 'Peso', 'Precio'], [['Tornillo', '0,35', '1,20'], ['Tuerca', '0,12', '0,80'], ['Arandela', '0,05', '0,10']])])
    put('csv/one-column.csv', 'E-mail\nanna@example.org\nbernd@example.org\n', 'en', 'A table of one column.', ['E-mail', 'anna@example.org', 'bernd@example.org'], optional=['E-mail'])
    put('csv/ragged.csv', '\ufeffplaats,telefoon,opmerking\r\nDelft,015 555 01\r\nGouda,0182 555 02,alleen ’s ochtends,extra\r\n\r\nHoorn,0229 555 03,\r\n'.encode('utf-8'), 'nl', 'Rows with too few and too many cells, an empty line, and a byte order mark.',
        [table(['plaats', 'telefoon', 'opmerking', ''], [['Delft', '015 555 01', '', ''], ['Gouda', '0182 555 02', 'alleen ’s ochtends', 'extra'], ['Hoorn', '0229 555 03', '', '']])])
    put('csv/carriage-returns.csv', 'Kod,Towar\rA1,"kłódka, duża"\rB2,zawias\r'.encode('cp1250'), 'pl', 'Lines that end with carriage returns alone, in Windows-1250.', [table(['Kod', 'Towar'], [['A1', 'kłódka, duża'], ['B2', 'zawias']])])
    put('csv/sep-tab.csv', 'sep=\t\nשם\tעיר\nרחל\tחיפה\nדוד\tעכו\n'.encode('utf-16'), 'he', 'A first line sep= with a tab, in UTF-16.', [table(['שם', 'עיר'], [['רחל', 'חיפה'], ['דוד', 'עכו']])], optional=['sep'])
    put('csv/quoted-lines.csv', '"address","note"\n"1 Mill Lane\nLeeds","said ""never"", twice"\n"7 Kiln Row\nHull","ring | knock"\n', 'en', 'Lines and quotes within cells.', [table(['address', 'note'], [['1 Mill Lane Leeds', 'said "never", twice'], ['7 Kiln Row Hull', 'ring | knock']])])


def texts():
    fixed = 'PREISLISTE                       Stand Mai\n\nArtikel        Einheit      Preis\n---------------------------------\nSchraube M4    100 St.      3,90\nMutter M4      100 St.      2,15\n'
    put('text/fixed-width.txt', fixed, 'de', 'Columns by spaces.', ['PREISLISTE Stand Mai', 'Artikel Einheit Preis', 'Schraube M4 100 St. 3,90', 'Mutter M4 100 St. 2,15'])
    for name, codec, lines, language in [
        ('short-ja', 'cp932', ['見積書', '合計 38,500円'], 'ja'), ('short-ko', 'euc_kr', ['견적서', '합계 38,500원'], 'ko'), ('short-zh', 'gbk', ['报价单', '合计 38,500元'], 'zh'), ('short-tw', 'big5', ['報價單', '合計 38,500元'], 'zh-TW'),
        ('short-ru', 'cp1251', ['Смета', 'Итого 38 500 руб.'], 'ru'), ('short-fr', 'cp1252', ['Devis', 'Total : 38 500 € – l’acompte est réglé'], 'fr'), ('short-de', 'cp1252', ['Büro geschlossen', 'Straße gesperrt'], 'de'),
    ]:
        put(f'text/{name}.txt', '\n\n'.join(lines).encode(codec), language, f'Few words in {codec}, undeclared.', lines)
    for name, codec, language in [('tr-notice', 'cp1254', 'tr'), ('he-letter', 'cp1255', 'he'), ('ar-notice', 'cp1256', 'ar'), ('th-notice', 'tis-620', 'th'), ('ru-memo', 'iso8859-5', 'ru'), ('ru-contract', 'cp866', 'ru')]:
        text = to_text(TEXTS[name]).replace('—', '-').replace('м³', 'куб. м').replace('₽', 'руб.').replace('«', '"').replace('»', '"')
        put(f'text/{name}-{codec}.txt', text.encode(codec), language, f'{codec}, undeclared.', [part for part in text.split('\n\n') if part])
    paragraphs = ['各位', '明日の棚卸しは午前八時に始めます。', '軍手を持参してください。']
    put('text/ja-iso-2022-jp.txt', '\n\n'.join(paragraphs).encode('iso2022_jp'), 'ja', 'ISO-2022-JP: bytes of seven bits.', paragraphs)
    put('text/carriage-returns.txt', 'Ordre du jour\r\rLe budget de la cantine est reporté.\rUne décision suivra.'.encode('utf-8'), 'fr', 'Lines that end with carriage returns alone.', ['Ordre du jour', 'Le budget de la cantine est reporté.', 'Une décision suivra.'])
    put('text/form-feed.txt', 'Page one ends here.\n\fPage two begins here.\n', 'en', 'A form feed between pages.', ['Page one ends here.', 'Page two begins here.'])
    put('text/utf-8-bad-byte.txt', 'Die Lieferung enthält zwölf Körbe Äpfel, drei Säcke Nüsse und fünf Gläser Öl.\n\nGrößere Mengen auf Anfrage: Tel'.encode('utf-8') + b'\xff' + b' 555.\n', 'de', 'UTF-8 with one byte that is wrong.', ['Die Lieferung enthält zwölf Körbe Äpfel, drei Säcke Nüsse und fünf Gläser Öl.', 'Größere Mengen auf Anfrage: Tel', '555.'])


def pages():
    put('html/utf-16.html', '<html><head><meta charset="utf-8"><title>Прайс</title></head><body><p>Цена лодки — 90 тысяч.</p></body></html>'.encode('utf-16'), 'ru', 'UTF-16 with a byte order mark, while the page states UTF-8.', ['Цена лодки — 90 тысяч.'], optional=['Прайс'])
    put('html/xml-declaration.xhtml', '<?xml version="1.0" encoding="iso-8859-2"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Ceník</title></head><body><h1>Ceník prací</h1><p>Oprava střechy: 420 Kč za hodinu.<br/>Žlaby zdarma.</p></body></html>'.encode('iso8859-2'), 'cs', 'The XML declaration states the encoding.', ['Ceník prací', 'Oprava střechy: 420 Kč za hodinu.', 'Žlaby zdarma.'], optional=['Ceník'])
    put('html/nested-table.html', '<meta charset="utf-8"><h1>Encomenda</h1><table><tr><td><table><tr><th>Peça</th><th>Qtd</th></tr><tr><td>Parafuso</td><td>40</td></tr><tr><td>Arruela</td><td>80</td></tr></table></td></tr></table><p>Retirar no balcão.</p>', 'pt', 'A table that only places another table.', ['Encomenda', 'Peça Qtd'], anywhere=['Parafuso 40', 'Arruela 80', 'Retirar no balcão.'], optional=['Peça Qtd Peça Qtd'])
    put('html/three-heads.html', '<meta charset="utf-8"><h1>Эфир</h1><table><thead><tr><th rowspan="2">Канал</th><th colspan="2">Будни</th><th colspan="2">Выходные</th></tr><tr><th>утро</th><th>вечер</th><th>утро</th><th>вечер</th></tr></thead><tr><td rowspan="2">Север</td><td>6:00</td><td>19:00</td><td>8:00</td><td>20:00</td></tr><tr><td>6:30</td><td colspan="2">повтор</td><td>21:00</td></tr></table>', 'ru', 'Heads over pairs of columns, and cells over rows and columns.',
        ['Эфир', table(['Канал', 'Будни › утро', 'Будни › вечер', 'Выходные › утро', 'Выходные › вечер'], [['Север', '6:00', '19:00', '8:00', '20:00'], ['^', '6:30', 'повтор', '<', '21:00']])])
    put('html/hidden.html', '<!doctype html><html lang="en"><body><h1>Tide table</h1><p>High water at 4:12.</p><p hidden>draft text</p><p style="display:none">old text</p><noscript>Please enable scripts.</noscript><template><p>model</p></template><select><option>Monday</option></select><p>Low water at 10:27.</p><svg><text>drawn</text></svg></body></html>', 'en', 'Hidden elements, templates and forms.', ['Tide table', 'High water at 4:12.', 'Low water at 10:27.'], optional=['draft text old text Please enable scripts. model Monday drawn'])
    put('html/rowspan-heads.html', '<meta charset="utf-8"><h1>工資表</h1><table><tr><th rowspan="2">姓名</th><th colspan="2">收入</th></tr><tr><th>底薪</th><th>獎金</th></tr><tr><td>林淑芬</td><td>42,000</td><td>3,500</td></tr><tr><td>吳志明</td><td>39,800</td><td>2,100</td></tr></table>', 'zh-TW', 'A head of two rows.', ['工資表', table(['姓名', '收入 › 底薪', '收入 › 獎金'], [['林淑芬', '42,000', '3,500'], ['吳志明', '39,800', '2,100']])])
    put('html/rowspan-zero.html', '<h1>Shifts</h1><table><tr><th>Week</th><th>Crew</th><th>Hours</th></tr><tr><td rowspan="0">23</td><td>Red</td><td>38</td></tr><tr><td>Blue</td><td>41</td></tr></table>', 'en', 'A cell that covers all further rows.', ['Shifts', table(['Week', 'Crew', 'Hours'], [['23', 'Red', '38'], ['^', 'Blue', '41']])])
    put('html/no-end-tags.html', '<h1>Lager<table><tr><th>Fach<th>Inhalt<tr><td>12<td>Kordel<tr><td>13<td>Wachs</table><p>Nur mit Schein<p>Montags zu', 'de', 'Elements without ends.', ['Lager', table(['Fach', 'Inhalt'], [['12', 'Kordel'], ['13', 'Wachs']]), 'Nur mit Schein', 'Montags zu'])


def mails():
    date = 'Tue, 03 Mar 2026 09:15:00 +0100'
    head = b'From: office@example.com\r\nTo: customer@example.com\r\nDate: Tue, 03 Mar 2026 09:15:00 +0100\r\nMIME-Version: 1.0\r\n'
    lines = ['Bonjour,', 'l’offre n’est valable que jusqu’à vendredi : 250 € – port compris.']
    put_mail('fr-mislabelled', head + 'Subject: =?iso-8859-1?Q?Derni=E8re_offre?=\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n'.encode() + '\r\n\r\n'.join(lines).encode('cp1252') + b'\r\n', 'Windows-1252 that is stated as ISO-8859-1.', ['Dernière offre', *lines], 'fr')
    lines = ['您好：', '請查收附件之估價單，並於週五前回覆。']
    message = mail('zh', '估價單', 'office@example.com', 'customer@example.com', date)
    message.set_content('\n\n'.join(lines), charset='big5', cte='base64')
    message.add_attachment(b'a;b\n1;2\n', maintype='application', subtype='octet-stream', filename='估價單－第一批（含運費）以及後續各期付款時程表.xlsx')
    put_mail('tw-attachment', message, 'Big5, and a long name of an attachment in several pieces.', ['估價單', *lines], 'zh-TW', ['估價單－第一批（含運費）以及後續各期付款時程表.xlsx'])
    lines = ['Добрый день!', 'Пропуск готов. Заберите его в бюро до шести.']
    put_mail('ru-undeclared', head + 'Subject: =?windows-1251?B?'.encode() + base64.b64encode('Пропуск'.encode('cp1251')) + b'?=\r\nContent-Type: text/plain; charset=windows-1251\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n' + quopri.encodestring('\r\n\r\n'.join(lines).encode('cp1251')) + b'\r\n', 'Windows-1251, quoted-printable.', ['Пропуск', *lines], 'ru')
    html = '<html><head><meta charset="utf-8"><style>p{color:red}</style></head><body><div>Witaj Zosiu,</div><div>paczka dotrze w środę.</div><ul><li>kwota: 84,50 zł</li></ul></body></html>'
    message = mail('pl', 'Paczka w drodze', 'office@example.com', 'customer@example.com', date)
    message.set_content(html, subtype='html', charset='iso-8859-2', cte='base64')
    put_mail('pl-html', message, 'HTML alone in ISO-8859-2, base64, while the page itself states UTF-8.', ['Paczka w drodze', 'Witaj Zosiu,', 'paczka dotrze w środę.', 'kwota: 84,50 zł'], 'pl')
    signed = head + b'Subject: Signed order\r\nContent-Type: multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary="s1"\r\n\r\n--s1\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nPlease deliver nine crates of caf\xc3\xa9 cups.\r\n--s1\r\nContent-Type: application/pkcs7-signature; name="smime.p7s"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="smime.p7s"\r\n\r\nMIIGJQYJKoZIhvcNAQcCoIIGFjCCBhICAQExDzANBglghkgBZQMEAgEFADALBgkqhkiG9w0BBwGg\r\n--s1--\r\n'
    put_mail('en-signed', signed, 'A signed mail.', ['Signed order', 'Please deliver nine crates of café cups.'], 'en', [])
    path = f'{ROOT}/eml/en-signed.eml.json'
    expected = json.load(open(path))
    put('eml/en-signed.eml', None, 'en', expected['note'], expected['text'], anywhere=expected['anywhere'], optional=[*expected['optional'], 'smime.p7s pkcs7-signature'])
    message = mail('vi', 'Lịch giao hàng tuần tới', 'office@example.com', 'customer@example.com', date)
    lines = ['Kính gửi anh Dũng,', 'xe tải sẽ đến kho vào sáng thứ ba, trước tám giờ.']
    message.set_content('\n\n'.join(lines), cte='8bit')
    put_mail('vi-8bit', message, 'UTF-8 as it is, with a folded subject.', ['Lịch giao hàng tuần tới', *lines], 'vi')
    message = mail('he', 'אישור הזמנה', 'office@example.com', 'customer@example.com', date)
    lines = ['שלום רותי,', 'ההזמנה שלך יצאה הבוקר מהמחסן.']
    message.set_content('\n\n'.join(lines), charset='iso-8859-8', cte='quoted-printable')
    put_mail('he-quoted', message, 'ISO-8859-8.', ['אישור הזמנה', *lines], 'he')


def books():
    container = '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'

    def book(language, title, chapters, extra=None):
        items = ''.join(f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>' for number, (name, _) in enumerate(chapters))
        spine = ''.join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
        opf = f'<?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title><dc:language>{language}</dc:language><dc:identifier id="i">x</dc:identifier></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>'
        return zipped({'mimetype': 'application/epub+zip', 'META-INF/container.xml': container, 'OEBPS/content.opf': opf, **{f'OEBPS/{name}': page for name, page in chapters}, **(extra or {})})

    page = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head><body>%s</body></html>'
    put('epub/table-el.epub', book('el', 'Οδηγός', [('a.xhtml', page % '<section><h1>Δρομολόγια</h1><p>Ισχύουν από&nbsp;Μάιο&hellip;</p><table><tr><th rowspan="2">Γραμμή</th><th colspan="2">Ώρα</th></tr><tr><th>πρωί</th><th>βράδυ</th></tr><tr><td>Χίος</td><td>7:00</td><td>21:00</td></tr><tr><td>Σύρος</td><td>8:15</td><td>20:30</td></tr></table></section>')]), 'el', 'A table with a head of two rows, and named characters; written by hand.',
        ['Δρομολόγια', 'Ισχύουν από Μάιο…', table(['Γραμμή', 'Ώρα › πρωί', 'Ώρα › βράδυ'], [['Χίος', '7:00', '21:00'], ['Σύρος', '8:15', '20:30']])], optional=['Οδηγός x'])
    put('epub/ja-ruby.epub', book('ja', '安全手帳', [('text/b.xhtml', page % '<h1>第一章　<ruby>点検<rt>てんけん</rt></ruby></h1><p><ruby>安全帯<rp>（</rp><rt>あんぜんたい</rt><rp>）</rp></ruby>を必ず着用する。<a epub:type="noteref" href="#n">1</a></p><aside epub:type="footnote" id="n"><p>高さ二メートル以上の場合。</p></aside>')]), 'ja', 'Phonetic guides, and a footnote; written by hand.',
        ['第一章 点検', '安全帯を必ず着用する。'], optional=['安全手帳 x てんけん あんぜんたい 1 高さ二メートル以上の場合。'])
    fonts = '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><enc:CipherData><enc:CipherReference URI="OEBPS/font.otf"/></enc:CipherData></enc:EncryptedData></encryption>'
    put('epub/obfuscated-font.epub', book('sv', 'Skärgårdsguide', [('a.xhtml', page % '<h1>Fyrar</h1><p>Fyren på Söderarm tändes år 1839.</p>')], {'META-INF/encryption.xml': fonts, 'OEBPS/font.otf': bytes(range(200))}), 'sv', 'Only a font is encrypted: the text can be read; written by hand.', ['Fyrar', 'Fyren på Söderarm tändes år 1839.'], optional=['Skärgårdsguide x'])
    drm = fonts.replace('http://www.idpf.org/2008/embedding', 'http://www.w3.org/2001/04/xmlenc#aes128-cbc').replace('OEBPS/font.otf', 'OEBPS/a.xhtml')
    put('refused/locked.epub', book('en', 'Sold book', [('a.xhtml', bytes((11 * number * number + 3) % 256 for number in range(700)))], {'META-INF/encryption.xml': drm, 'META-INF/rights.xml': '<rights/>'}), 'en', 'The chapters are encrypted by a shop.', refused='DOCUMENT_ENCRYPTED')


if __name__ == '__main__':
    separated()
    texts()
    pages()
    mails()
    books()
