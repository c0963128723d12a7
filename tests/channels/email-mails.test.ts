import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { createEmailKind } from '../../channels/email/index.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import { ADDRESS, type FakeEmail, startFakeEmail } from '../support/fake-email.ts'
import { openChannel } from '../support/open-channel.ts'

const { signal } = new AbortController()
const KEY = '01JZ0000000000000000000000'

async function open(t: Test, config: Record<string, unknown> = {}) {
  const kind = createEmailKind({ pollMs: 200 })
  const fake = await startFakeEmail()
  t.teardown(() => fake.close())
  const channel = await openChannel(t, kind, fake, { config: { ...fake.config, ...config } })
  let count = 0
  /** Delivers a mail of Ann's with these headers and this body. */
  const mail = (headers: string, body = 'Hello') => {
    count += 1
    const first = /^Message-ID:/im.test(headers) ? '' : `Message-ID: <t${count}@people.example>\n`
    const from = /^From:/im.test(headers) ? '' : 'From: Ann <ann@people.example>\n'
    const to = /^To:/im.test(headers) ? '' : `To: ${ADDRESS}\n`
    const subject = /^Subject:/im.test(headers) ? '' : 'Subject: Re: Plan\n'
    return fake.deliver(`${first}${from}${to}${subject}${headers}${headers ? '\n' : ''}\n${body}`)
  }
  /** Delivers a mail and returns the message that it becomes. */
  const receive = async (headers: string, body?: string) => {
    await fake.seeRead(mail(headers, body))
    return channel.received.at(-1)!
  }
  /** Delivers mails, then one that is answered, and returns the reasons why the others were ignored. */
  const ignore = async (mails: string[]) => {
    const earlierCount = channel.received.length
    for (const headers of mails) mail(headers)
    await receive('')
    t.equal(channel.received.length, earlierCount + 1, 'only the last mail is received')
    return [...channel.logged().matchAll(/mail ignored: ([^"]*)/g)].map(([, reason]) => reason)
  }
  return { ...channel, fake, mail, receive, ignore }
}

t.test('a mail becomes a message', async (t) => {
  const { receive } = await open(t)
  t.match(await receive('Subject: Lunch', 'Where?'), {
    id: '<t1@people.example>',
    conversation: { type: 'direct' },
    sender: { id: 'ann@people.example', name: 'Ann' },
    text: 'Lunch\n\nWhere?',
    mentioned: true,
    target: { to: 'ann@people.example', cc: [], subject: 'Re: Lunch', in_reply_to: '<t1@people.example>' },
  })
  t.equal((await receive('Subject: /new', '')).text, '/new')
  t.equal((await receive('Subject: Lunch', '/stop')).text, '/stop', 'a command stays one')
  t.equal((await receive('Subject: =?utf-8?B?5Y2I6aWt?=', '')).text, '午饭')
  t.equal(
    (await receive('Content-Type: text/plain; charset=gb2312\nContent-Transfer-Encoding: base64', 'xOO6ww=='))
      .text,
    '你好',
  )
  t.equal(
    (await receive('Content-Type: text/html', '<p>Hi <b>you</b></p>-- <br>Ann')).text.split('\n')[0],
    'Hi you',
    'HTML alone',
  )
  const alternative = (plain: string) =>
    `--b\nContent-Type: text/plain\n\n${plain}\n--b\nContent-Type: text/html\n\n<p>from HTML</p>\n--b--`
  const type = 'Content-Type: multipart/alternative; boundary=b'
  t.equal((await receive(type, alternative('from text'))).text, 'from text')
  t.equal((await receive(type, alternative(' '))).text, 'from HTML', 'an empty form does not count')
})

t.test('a reply continues the conversation, and a new mail begins one', async (t) => {
  const { receive, connection, fake } = await open(t)
  const first = await receive('Subject: Plan', 'What is it?')
  await connection.send(first.target, { key: KEY, text: 'It is **this**.' }, signal)
  const [answer] = fake.sent()
  t.match(answer, {
    subject: 'Re: Plan',
    inReplyTo: '<t1@people.example>',
    references: '<t1@people.example>',
  })
  t.match(answer!.html, '<strong>this</strong>')
  t.equal(answer!.header('x-auto-response-suppress'), 'All')
  t.match(answer!.header('from'), /The Assistant.*<assistant@agents\.example>/)
  const quoted = `Thanks.\n\nOn Monday, July 6, Assistant <${ADDRESS}> wrote:\n> It is this.`
  const second = await receive(`In-Reply-To: ${answer!.messageId}`, quoted)
  t.match(second, { text: 'Thanks.', quote: undefined }, 'the quote is known')
  t.equal(second.conversation.id, first.conversation.id)
  t.not((await receive('Subject: Plan', 'Another')).conversation.id, first.conversation.id)
  const joined = await receive(
    'In-Reply-To: <x@y>\nReferences: <w@y> <x@y>',
    'And?\n\n-----Original Message-----\nFrom: Bob\n\nOld',
  )
  t.match(
    joined,
    { text: 'And?', quote: { text: /Old$/, sender: 'Bob' } },
    'the agent has not seen what it quotes',
  )
  t.match(
    await receive(
      'Subject: Fwd: Plan',
      '---------- Forwarded message ---------\nFrom: Bob <bob@x>\n\nThe plan',
    ),
    { text: '', quote: { is_forwarded: true, sender: 'Bob <bob@x>', text: /The plan$/ } },
  )
  await connection.send(first.target, { key: KEY, text: 'It is **this**.' }, signal)
  t.equal(fake.sent().length, 1, 'a mail that is sent again has the same id')
})

t.test('a mail to several people is of a group, and only allowed people are answered', async (t) => {
  const { receive, connection, fake } = await open(t)
  const group = await receive(
    `To: Agent <${ADDRESS}>, carl@elsewhere.example\nCc: bob@people.example, "X, Y" <ann@people.example>`,
  )
  t.match(group, { conversation: { type: 'group' }, mentioned: true, target: { cc: ['bob@people.example'] } })
  await connection.send(group.target, { key: KEY, text: 'x' }, signal)
  t.same(fake.sent()[0]!.recipients, ['ann@people.example', 'bob@people.example'])
  t.match(await receive(`To: bob@people.example\nCc: ${ADDRESS}`), {
    mentioned: false,
    conversation: { type: 'group' },
  })
  t.match(await receive(`To: ${ADDRESS.replace('@', '+tag@').toUpperCase()}`), {
    conversation: { type: 'direct' },
  })
  t.match(await receive('To: help@agents.example\nDelivered-To: help@agents.example'), {
    conversation: { type: 'direct' },
    mentioned: true,
  })
})

t.test('programs, lists, bounces and strangers are not answered', async (t) => {
  const { ignore } = await open(t)
  const cases: [headers: string, reason: RegExp][] = [
    ['Auto-Submitted: auto-replied', /automatic/],
    ['Auto-Submitted: auto-generated (vacation)', /automatic/],
    ['Precedence: bulk', /bulk/],
    ['Precedence: auto_reply', /bulk/],
    ['List-Id: <plans.people.example>', /list/],
    ['List-Unsubscribe: <mailto:x@y>', /list/],
    ['X-Auto-Response-Suppress: All', /automatic/],
    ['X-Autoreply: yes', /automatic/],
    ['Return-Path: <>', /bounce/],
    ['Content-Type: multipart/report; report-type=delivery-status; boundary=x', /report/],
    ['From: MAILER-DAEMON@people.example', /program/],
    ['From: no-reply@people.example', /program/],
    [`From: Me <${ADDRESS}>`, /itself/],
    [`From: Me <${ADDRESS.replace('@', '+x@')}>`, /itself/],
    ['From: eve@elsewhere.example', /not among/],
    ['From: eve@notpeople.example', /not among/],
    ['From: eve@sub.people.example', /not among/],
    ['From: "ann@people.example" <eve@elsewhere.example>', /not among/],
    ['From: ann@people.example, eve@elsewhere.example', /exactly one/],
    ['From: ann@people.example\nFrom: eve@elsewhere.example', /exactly one/],
    ['From: nobody', /exactly one/],
    ['Authentication-Results: mx.agents.example; dmarc=fail header.from=people.example', /DMARC/],
    ['Authentication-Results: mx.agents.example; spf=fail smtp.mailfrom=people.example', /SPF/],
    ['Authentication-Results: mx.agents.example; dkim=fail header.d=people.example', /DKIM/],
  ]
  const reasons = await ignore(cases.map(([headers]) => headers))
  t.equal(reasons.length, cases.length)
  for (const [index, [headers, reason]] of cases.entries()) t.match(reasons[index], reason, headers)
})

t.test('mails of people that look a little like those of programs are answered', async (t) => {
  const { receive } = await open(t)
  for (const headers of [
    'Auto-Submitted: no',
    'Precedence: normal',
    'X-Auto-Response-Suppress: OOF, DR',
    'Return-Path: <ann@people.example>',
    'Authentication-Results: mx.agents.example; dmarc=pass; spf=fail',
    'Authentication-Results: mx.agents.example; dkim=pass header.d=people.example; spf=softfail',
    'Authentication-Results: mx.agents.example; none',
  ])
    t.equal((await receive(headers)).text, 'Hello', headers)
})

t.test('with the name of the mail server only mails that it has authenticated are answered', async (t) => {
  const { mail, receive, logged } = await open(t, { authserv_id: 'mx.agents.example' })
  const own = 'Authentication-Results: mx.agents.example'
  const cases: [string, RegExp][] = [
    ['', /no Authentication-Results/],
    ['Authentication-Results: forged.example; dmarc=pass', /no Authentication-Results/],
    [`${own}; dmarc=fail\n${own}; dmarc=pass`, /DMARC/],
    [`${own}; dmarc=none; spf=pass smtp.mailfrom=elsewhere.example`, /neither/],
    [`${own}; dmarc=temperror`, /DMARC/],
  ]
  for (const [headers] of cases) mail(headers)
  for (const headers of [
    `${own}; dmarc=pass`,
    `Authentication-Results: other.example; spf=fail\n${own}; spf=pass smtp.mailfrom=ann@people.example`,
  ])
    t.equal((await receive(headers)).text, 'Hello', headers)
  const reasons = [...logged().matchAll(/mail ignored: ([^"]*)/g)].map(([, reason]) => reason)
  t.equal(reasons.length, cases.length)
  for (const [index, [headers, reason]] of cases.entries()) t.match(reasons[index], reason, headers)
})

t.test('files come and go', async (t) => {
  const { receive, connection, fake } = await open(t)
  const part = (headers: string, content: string) => `--b\n${headers}\n\n${content}\n`
  const pdf = Buffer.from('%PDF-1.4 text').toString('base64')
  const message = await receive(
    'Content-Type: multipart/mixed; boundary=b',
    [
      part('Content-Type: text/plain', 'See the file.'),
      part(
        'Content-Type: application/pdf; name="a.pdf"\nContent-Disposition: attachment; filename="plan ä.pdf"\nContent-Transfer-Encoding: base64',
        pdf,
      ),
      part(
        'Content-Type: image/png\nContent-Disposition: attachment; filename="p.png"\nContent-Transfer-Encoding: base64',
        'aGk=',
      ),
      part('Content-Type: application/pgp-signature; name="signature.asc"', 'x'),
      '--b--',
    ].join(''),
  )
  t.equal(message.text, 'See the file.')
  t.match(message.files, [{ media_type: 'application/pdf' }, { filename: 'p.png', media_type: 'image/png' }])
  t.equal(message.files!.length, 2)
  const { bytes } = await connection.download!(message.files![0]!.reference, signal)
  t.equal(await readText(Readable.from(bytes)), '%PDF-1.4 text')
  fake.imap.expunge(fake.imap.mails()[0]!.uid)
  t.match(await connection.download!(message.files![0]!.reference, signal).catch((error) => error), {
    reason: 'not_found',
  })

  const related = await receive(
    'Content-Type: multipart/related; boundary=b',
    [
      part('Content-Type: text/html', '<p>Look</p><img src="cid:logo"><img src="cid:shot">'),
      part(
        'Content-Type: image/png; name="logo.png"\nContent-ID: <logo>\nContent-Disposition: inline\nContent-Transfer-Encoding: base64',
        'aGk=',
      ),
      part(
        'Content-Type: image/png; name="shot.png"\nContent-ID: <shot>\nContent-Disposition: inline\nContent-Transfer-Encoding: base64',
        'A'.repeat(40_000),
      ),
      '--b--',
    ].join(''),
  )
  t.match(related.files, [{ filename: 'shot.png' }])
  t.equal(related.files!.length, 1, 'small pictures within HTML are those of signatures')
  t.match(
    await receive(
      'Content-Type: multipart/encrypted; boundary=b',
      `${part('Content-Type: application/octet-stream', 'x')}--b--`,
    ),
    {
      text: '',
      unreadable: 'encrypted mail',
    },
  )

  const file = { filename: 'ä 图.csv', media_type: 'text/csv', bytes: Buffer.from('a,b'), key: KEY }
  await connection.sendFile!(message.target, file, signal)
  const [sent] = fake.shown().slice(-1)
  t.match(sent!.file, { filename: 'ä 图.csv', media_type: 'text/csv' })
  t.same(Buffer.from(sent!.file!.bytes).toString(), 'a,b')
  t.same(fake.violations, [])
})

t.test('two programs that answer each other come to an end', async (t) => {
  const { mail, received, logged, fake } = await open(t)
  for (let count = 0; count < 65; count += 1) mail('')
  await eventually(
    'the last mails are ignored',
    () => [...logged().matchAll(/more than 60 mails/g)].length === 5,
  )
  t.equal(received.length, 60)
  fake.deliver(`Message-ID: <bob@x>\nFrom: bob@people.example\nTo: ${ADDRESS}\n\nhello`)
  await eventually('others are heard', () => received.length === 61)
})

t.test('the replies of the SMTP server decide if a mail is sent again', async (t) => {
  const { connection, fake, receive } = await open(t)
  const { target } = await receive('')
  const cases: [Parameters<FakeEmail['refuseNext']>, string][] = [
    [[450, '4.7.0 slow down'], 'rate_limited'],
    [[452, '4.3.1 Too many messages'], 'rate_limited'],
    [[421, '4.3.2 closing'], 'unreachable'],
    [[451, '4.3.0 local error'], 'unreachable'],
    [[550, '5.1.1 User unknown', 'recipient'], 'not_found'],
    [[553, 'no such mailbox', 'recipient'], 'not_found'],
    [[554, '5.7.1 Looks like spam'], 'forbidden'],
    [[552, '5.3.4 Too large'], 'unsupported'],
    [[555, '5.5.4 what?'], 'unknown'],
  ]
  for (const [refusal, reason] of cases) {
    fake.refuseNext(...refusal)
    const error = await connection.send(target, { key: KEY, text: 'x' }, signal).catch((thrown) => thrown)
    t.match(error, { reason, message: /SMTP server refused the mail/ }, refusal.join(' '))
  }
})
