"""Makes documents that must be refused, each with its code."""
import io
import os
import zipfile

import msoffcrypto
import xlwt

from common import ROOT, put, to_html
from make_office import convert
from texts import TEXTS


def read(name):
    with open(os.path.join(ROOT, name), 'rb') as file:
        return file.read()


def encrypt(data):
    out = io.BytesIO()
    msoffcrypto.OfficeFile(io.BytesIO(data)).encrypt('secret', out)
    return out.getvalue()


def old_workbook():
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet('Kasse')
    for x, value in enumerate(['Datum', 'Betrag', 'Zweck']):
        sheet.write(0, x, value)
        sheet.write(1, x, f'{value} 1')
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


html = to_html(TEXTS['de-minutes'], 'de')
old = old_workbook()
refuse = lambda name, data, note, code, language='de': put(f'refused/{name}', data, language, note, refused=code)
refuse('minutes.doc', convert(html, 'doc:MS Word 97', extra=['--writer']), 'Word before 2007.', 'DOCUMENT_UNSUPPORTED')
refuse('cash.xls', old, 'Excel before 2007.', 'DOCUMENT_UNSUPPORTED')
refuse('form.ppt', convert(read('pptx/group.pptx'), 'ppt:MS PowerPoint 97', source='pptx')[:20_000], 'The beginning of a file of PowerPoint before 2007.', 'DOCUMENT_UNSUPPORTED', 'pl')
refuse('mail.msg', old, 'The name of a mail of Outlook.', 'DOCUMENT_UNSUPPORTED')
refuse('old-workbook.xlsx', old, 'A workbook of an old Excel under the name of a new one: it is not protected.', 'DOCUMENT_UNSUPPORTED')
refuse('locked.docx', encrypt(read('docx/fields.docx')), 'Protected by a password.', 'DOCUMENT_ENCRYPTED', 'en')
refuse('locked.xlsx', encrypt(read('xlsx/numbers.xlsx')), 'Protected by a password.', 'DOCUMENT_ENCRYPTED', 'en')
refuse('locked.pptx', encrypt(read('pptx/group.pptx')), 'Protected by a password.', 'DOCUMENT_ENCRYPTED', 'pl')
refuse('cut.docx', read('docx/fields.docx')[:9000], 'The end of the file is missing.', 'DOCUMENT_DAMAGED', 'en')
refuse('text.xlsx', 'Datum;Betrag\n3. Mai;17,50\n', 'A text under the name of a workbook.', 'DOCUMENT_DAMAGED')
refuse('empty.txt', b' \r\n\r\n', 'A text without words.', 'DOCUMENT_EMPTY')
refuse('cut.pdf', read('pdf/locked-rc4.pdf')[:40], 'Nothing but the beginning of a PDF.', 'DOCUMENT_DAMAGED', 'en')
refuse('photo.jpg', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16]) + b'JFIF\0' + bytes(200), 'A picture.', 'DOCUMENT_UNSUPPORTED', 'en')

buffer = io.BytesIO()
with zipfile.ZipFile(buffer, 'w') as file:
    file.writestr('mimetype', 'application/vnd.oasis.opendocument.text')
    file.writestr('META-INF/manifest.xml', '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="3210"><manifest:encryption-data manifest:checksum-type="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k" manifest:checksum="AAAA"><manifest:algorithm manifest:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" manifest:initialisation-vector="AAAA"/><manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:iteration-count="100000" manifest:salt="AAAA"/></manifest:encryption-data></manifest:file-entry></manifest:manifest>')
    file.writestr('content.xml', bytes((7 * number * number + 31 * number) % 251 for number in range(900)))
refuse('locked.odt', buffer.getvalue(), 'Protected by a password.', 'DOCUMENT_ENCRYPTED', 'en')
