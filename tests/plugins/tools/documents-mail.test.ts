import { findKind } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'
import { encode } from '../../support/encode-text.ts'

const read = async (mail: string | Buffer) =>
  (await readDocument(typeof mail === 'string' ? Buffer.from(mail, 'latin1') : mail, 'eml')).text
const lines = (...parts: string[]) => parts.join('\r\n')
/** A part of a mail, with the fields of its content. */
const part = (type: string, body: string, ...fields: string[]) =>
  lines(`Content-Type: ${type}`, ...fields, '', body)
const multipart = (kind: string, ...parts: string[]) =>
  part(
    `multipart/${kind}; boundary="b-${kind}"`,
    `preamble\r\n${parts.map((each) => `--b-${kind}\r\n${each}\r\n`).join('')}--b-${kind}--\r\nepilogue`,
  )
const base64 = (text: string | Buffer) => Buffer.from(text as string).toString('base64')

t.test('The head and the text of a mail are decoded', async (t) => {
  const head = lines(
    `From: =?utf-8?B?${base64('Jürgen')}?= <j@example.org>`,
    'To: a@example.org,',
    '\tb@example.org',
    'Date: Tue, 3 Mar 2026 09:15:00 +0100',
    `Subject: =?windows-1252?Q?L=92=E9t=E9?= =?utf-8?b?${Buffer.from('日').toString('base64').slice(0, 2)}==?=`,
    'Message-ID: <1@example.org>',
    '',
  ).replace(
    /=\?utf-8\?b\?5p==\?=/,
    `=?utf-8?b?${base64(Buffer.from('日本').subarray(0, 4))}?=\r\n =?utf-8?b?${base64(Buffer.from('日本').subarray(4))}?=`,
  )
  const bodies: [body: string, text: string][] = [
    [
      part(
        'text/plain; charset=utf-8',
        'Gr=C3=BC=\r\n=C3=9Fe =E2=80=93 x',
        'Content-Transfer-Encoding: quoted-printable',
      ),
      'Grüße – x',
    ],
    [
      part(
        'text/plain; charset="shift_jis"',
        base64(encode('日本語です', 'shift_jis')),
        'Content-Transfer-Encoding: base64',
      ),
      '日本語です',
    ],
    [part('text/plain; charset=iso-2022-jp', encode('会議', 'iso-2022-jp').toString('latin1')), '会議'],
    [
      part('text/plain', encode('Напоминаем, что собрание состоится', 'koi8-r').toString('latin1')),
      'Напоминаем, что собрание состоится',
    ],
    [
      part('text/plain; charset=iso-8859-1', 'L=92=E9t=E9', 'Content-Transfer-Encoding: Quoted-Printable'),
      'L’été',
    ],
    [
      part('text/plain; format=flowed; delsp=no', 'a long \r\nline\r\n> quoted \r\n> text\r\n-- \r\nAnn'),
      'a long line\n> quoted text\n--\nAnn',
    ],
    [part('text/html; charset=utf-8', '<table><tr><th>A<th>B<tr><td>1<td>2</table>'), 'A: 1 | B: 2'],
    ['\r\nno fields of a type', 'no fields of a type'],
  ]
  for (const [body, text] of bodies)
    t.equal(
      await read(head + body),
      `L’été日本\n\nFrom: Jürgen <j@example.org>\nTo: a@example.org, b@example.org\nDate: Tue, 3 Mar 2026 09:15:00 +0100\n\n${text}`,
      text,
    )
})

t.test('Of a mail of many parts, each text is read once, and files by their names', async (t) => {
  const html = '<p>Hello</p><p>there</p>'
  const file = (name: string) =>
    part(
      'application/pdf',
      base64('%PDF'),
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: attachment; ${name}`,
    )
  const mails: [mail: string, text: string][] = [
    [multipart('alternative', part('text/plain', 'Hello there'), part('text/html', html)), 'Hello there'],
    [
      multipart(
        'alternative',
        part('text/plain', 'See the HTML.'),
        part('text/html', `<p>${'Hello there. '.repeat(20)}</p>`),
      ),
      'Hello there. '.repeat(20).trim(),
    ],
    [
      multipart(
        'alternative',
        part('text/plain', ''),
        multipart('related', part('text/html', html), part('image/png; name=a.png', 'x')),
      ),
      'Hello\n\nthere',
    ],
    [
      multipart(
        'mixed',
        part('text/plain', 'one'),
        file('filename="a.pdf"'),
        file("filename*0*=utf-8''%E5%AF%B9; filename*1=b.pdf"),
        part('text/plain', 'two'),
      ),
      'one\n\ntwo\n\nAttachments: a.pdf, 对b.pdf',
    ],
    [
      multipart(
        'mixed',
        part('text/plain', 'see below'),
        part('message/rfc822', 'Subject: Inner\r\nFrom: c@example.org\r\n\r\ninner text'),
      ),
      'see below\n\nInner\n\nFrom: c@example.org\n\ninner text',
    ],
  ]
  for (const [mail, text] of mails) t.equal(await read(`MIME-Version: 1.0\r\n${mail}`), text)
})

t.test('Broken mails are read as far as they go', async (t) => {
  const broken: [mail: string, text: string][] = [
    [
      'Subject: cut\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nthe text',
      'cut\n\nthe text',
    ],
    ['Subject: no boundary\r\nContent-Type: multipart/mixed\r\n\r\nthe text', 'no boundary\n\nthe text'],
    ['Subject: type\r\nContent-Type: nonsense\r\n\r\nthe text', 'type\n\nthe text'],
    ['Subject: bare\nContent-Type: text/plain\n\nthe text\n\nand more', 'bare\n\nthe text\n\nand more'],
    ['Subject: no empty line\r\nthe text', 'no empty line\n\nthe text'],
    ['Subject: =?nonsense?b?QQ==?= =?utf-8?x?a?=\r\n\r\nx', 'A=?utf-8?x?a?=\n\nx'],
  ]
  for (const [mail, text] of broken) t.equal(await read(mail), text)
  t.equal(
    await read(
      'From a@b Tue Mar  3 09:15:00 2026\nSubject: one\n\nfirst\n\nFrom a@b Tue Mar  3 09:16:00 2026\nSubject: two\n\nsecond\n',
    ),
    'one\n\nfirst\n\ntwo\n\nsecond',
  )
})

t.test('A page that a browser saved with its pictures is read as a page', async (t) => {
  const page = lines(
    'From: <Saved by Blink>',
    'Subject: Trains',
    'MIME-Version: 1.0',
    multipart(
      'related',
      part('text/html', '<h1>Trai=\r\nns</h1><p>=E2=82=AC 3', 'Content-Transfer-Encoding: quoted-printable'),
      part('image/png', 'x', 'Content-Location: http://x/y.png'),
    ),
  )
  t.equal(await read(page), 'Trains\n\nTrains\n\n€ 3')
  t.equal(findKind('page.mhtml', 'multipart/related', Buffer.from(page)), 'eml')
  t.equal(findKind('mail.eml', 'message/rfc822', Buffer.from('Subject: x\n\ny')), 'eml')
  t.equal(findKind('mail', '', Buffer.from('Received: x\nFrom: a@b\nSubject: x\n\ny')), 'eml')
})

t.test('A hostile mail is bounded', async (t) => {
  const nest = (levels: number): string =>
    levels === 0 ? part('text/plain', 'x') : part('message/rfc822', nest(levels - 1))
  await t.rejects(read(nest(50)), { message: 'DOCUMENT_TOO_LARGE' })
  await t.rejects(read(multipart('mixed', ...Array.from({ length: 2000 }, () => part('text/plain', 'x')))), {
    message: 'DOCUMENT_TOO_LARGE',
  })
  const wide = [
    `Subject: x\r\n${'A: b\r\n'.repeat(50_000)}\r\n`,
    `Subject: x\r\n${' y'.repeat(100_000)}\r\n\r\n`,
    `Subject: x\r\nContent-Type: text/plain${';a="'.repeat(30_000)}\r\n\r\n`,
    `Subject: x${' =?utf-8?q?x?='.repeat(10_000)}\r\n\r\n`,
    `Subject: x\r\nContent-Type: multipart/mixed; boundary=-\r\n\r\n${'---'.repeat(100_000)}`,
  ]
  for (const mail of wide) t.match(await read(mail), /x/, mail.slice(0, 40))
})
