import { readAuthentication } from '../../channels/email/acceptance.ts'
import { toHtml } from '../../channels/email/composing.ts'
import { readHtmlText } from '../../channels/email/html-text.ts'
import { splitText } from '../../channels/email/quoting.ts'
import { findConversation, listReferences, toReplySubject } from '../../channels/email/threading.ts'
import t from '../run/file-test.ts'

t.test('quoted mails are separated from a person’s own words', async (t) => {
  const quoted = '> What do you think?\n> \n> Bob'
  const cases: [name: string, source: string, text: string, quote?: string][] = [
    ['no quote', 'Hello\n\nhow are you?', 'Hello\n\nhow are you?'],
    [
      'Gmail',
      `I agree.\n\nOn Mon, Jul 6, 2026 at 10:00 AM Bob <bob@example.com> wrote:\n\n${quoted}`,
      'I agree.',
    ],
    [
      'Gmail, broken line',
      `I agree.\n\nOn Mon, Jul 6, 2026 at 10:00 AM Bob Builder of the Town\n<bob@example.com> wrote:\n${quoted}`,
      'I agree.',
    ],
    [
      'Gmail, de',
      `Ja.\n\nAm Mo., 6. Juli 2026 um 10:00 Uhr schrieb Bob <bob@example.com>:\n\n${quoted}`,
      'Ja.',
    ],
    ['Gmail, zh', `同意。\n\nBob <bob@example.com> 于2026年7月6日周一 10:00写道：\n\n${quoted}`, '同意。'],
    ['Apple Mail', `Yes\n\n> On 6. Jul 2026, at 10:00, Bob <bob@example.com> wrote:\n> \n${quoted}`, 'Yes'],
    ['Apple Mail, de', `Ja\n\n> Am 06.07.2026 um 10:00 schrieb Bob <bob@example.com>:\n> \n${quoted}`, 'Ja'],
    ['Apple Mail, zh', `好\n\n> 在 2026年7月6日，10:00，Bob <bob@example.com> 写道：\n> \n${quoted}`, '好'],
    ['Thunderbird, bottom', `On 7/6/26 10:00, Bob wrote:\n${quoted}\n\nBelow it.`, 'Below it.'],
    ['Thunderbird, bottom, de', `Am 06.07.26 um 10:00 schrieb Bob:\n${quoted}\n\nDarunter.`, 'Darunter.'],
    [
      'Outlook',
      `Fine.\n\n________________________________\nFrom: Bob <bob@example.com>\nSent: Monday, July 6, 2026 10:00 AM\nTo: Agent\nSubject: Plan\n\nWhat do you think?`,
      'Fine.',
    ],
    [
      'Outlook, de',
      `Gut.\n\nVon: Bob <bob@example.com>\nGesendet: Montag, 6. Juli 2026 10:00\nAn: Agent\nBetreff: Plan\n\nWas meinst du?`,
      'Gut.',
    ],
    [
      'Outlook, zh',
      `好的。\n\n发件人: Bob <bob@example.com>\n发送时间: 2026年7月6日 10:00\n收件人: Agent\n主题: 计划\n\n你觉得呢？`,
      '好的。',
    ],
    ['Outlook, old', `Fine.\n\n-----Original Message-----\nFrom: Bob\nWhat do you think?`, 'Fine.'],
    ['Outlook, old, de', `Gut.\n\n-----Ursprüngliche Nachricht-----\nVon: Bob\nWas?`, 'Gut.'],
    ['QQ', `收到\n\n------------------ 原始邮件 ------------------\n发件人: "Bob"\n你好`, '收到'],
    ['NetEase', `收到\n\n在 2026-07-06 10:00:00，"Bob" <bob@example.com> 写道：\n你好`, '收到'],
    [
      'not an introduction',
      'Note that on Monday she wrote:\nnothing',
      'Note that on Monday she wrote:\nnothing',
    ],
    ['a question', 'From: is a word\nDate it', 'From: is a word\nDate it'],
  ]
  for (const [name, source, text] of cases) {
    const split = splitText(source)
    t.equal(split.text, text, name)
    t.equal(split.quote === undefined, text === source, `${name}: the rest is the quote`)
    t.equal(splitText(source.replaceAll('\n', '\r\n')).text, text, `${name}, with CRLF`)
  }
  const turns = '> First?\n\nYes.\n\n> Second?\n\nNo.'
  t.same(
    splitText(`On 7/6/26 10:00, Bob wrote:\n${turns}`),
    { text: turns },
    'answers in turn keep the questions',
  )
  t.match(splitText('See below.\n\n---------- Forwarded message ---------\nFrom: Bob\n\nThe plan'), {
    text: 'See below.',
    quote: /^-+ Forwarded message -+\nFrom: Bob\n\nThe plan$/,
    is_forwarded: true,
  })
  t.match(splitText('Anfang der weitergeleiteten Nachricht:\n\nVon: Bob\nDer Plan'), {
    text: '',
    is_forwarded: true,
  })
  t.match(splitText('开始转发的邮件：\n\n发件人: Bob\n计划'), { text: '', is_forwarded: true })
})

t.test('signatures are removed', async (t) => {
  for (const signature of [
    '-- \nAnn\nHead of Plans',
    '--\nAnn',
    'Sent from my iPhone',
    'Von meinem iPhone gesendet',
    '发自我的iPhone',
    'Get Outlook for iOS<https://aka.ms/o0ukef>',
    'Gesendet von Outlook für Android',
    '发自我的手机',
    'Sent from my iPhone\n\n-- \nAnn',
  ])
    t.equal(splitText(`Hello\n\n${signature}`).text, 'Hello', signature)
  t.equal(splitText('I sent it from my phone.').text, 'I sent it from my phone.')
  t.equal(splitText('a\n---\nb').text, 'a\n---\nb', 'a rule is no signature')
})

t.test('texts that are made to be slow are split at once', async (t) => {
  for (const source of [
    '> '.repeat(200_000),
    `${'a@'.repeat(100_000)}:`,
    'On '.repeat(150_000),
    '\n'.repeat(400_000),
  ])
    t.type(splitText(source).text, 'string')
  t.type(readHtmlText('<div>'.repeat(100_000)), 'string')
  t.type(readHtmlText(`${'<blockquote>'.repeat(5000)}x`), 'string')
})

t.test('HTML becomes text', async (t) => {
  const cases: [string, string][] = [
    ['<p>Hello&nbsp;<b>Ann</b></p><p>Two</p>', 'Hello Ann\n\nTwo'],
    ['<div>one</div><div>two<br>three</div>', 'one\ntwo\nthree'],
    ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['<a href="https://example.com/x">here</a>', 'here (https://example.com/x)'],
    ['<a href="https://example.com/x">https://example.com/x</a>', 'https://example.com/x'],
    ['<a href="javascript:alert(1)">here</a>', 'here'],
    ['<style>p{}</style><script>x</script><p style="display:none">hidden</p>seen', 'seen'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['<p>hi</p><blockquote type="cite"><p>old</p></blockquote>', 'hi\n\n> old'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['hi<div class="gmail_signature">Ann</div>', 'hi'],
    [
      '<p>hi</p><div id="appendonsend"></div><div>From: Bob</div>',
      'hi\n-----Original Message-----\nFrom: Bob',
    ],
    ['</p></div>x<unknown>y', 'xy'],
  ]
  for (const [source, text] of cases) t.equal(readHtmlText(source), text, source)
})

t.test('a mail is of the conversation of its thread', async (t) => {
  const first = { message_id: '<a@x>', in_reply_to: [], references: [] }
  const { id } = findConversation(first)
  t.same(findConversation({ message_id: '<c@x>', in_reply_to: ['<b@x>'], references: ['<a@x>', '<b@x>'] }), {
    id,
    answers_agent: false,
  })
  const own = `<01jz.${id}.agent@agents.example>`
  for (const ids of [
    { message_id: '<d@x>', in_reply_to: [own], references: [] },
    { message_id: '<d@x>', in_reply_to: [], references: [own.toUpperCase()] },
    { message_id: '<d@x>', in_reply_to: ['<other@x>'], references: ['<other@y>', own, '<z@x>'] },
  ])
    t.same(findConversation(ids), { id, answers_agent: true })
  t.not(findConversation({ ...first, message_id: '<e@x>' }).id, id, 'a new mail begins a conversation')
  const many = Array.from({ length: 50 }, (_, index) => `<${index}@x>`)
  const listed = listReferences({ message_id: '<end@x>', in_reply_to: [], references: many })
  t.equal(listed.length, 20)
  t.same([listed[0], listed.at(-1)], ['<0@x>', '<end@x>'])
  t.equal(toReplySubject('Plan'), 'Re: Plan')
  for (const subject of ['Re: Plan', 'AW: Plan', '回复：计划']) t.equal(toReplySubject(subject), subject)
})

t.test('Authentication-Results are read with comments, versions and several results', async (t) => {
  const { authserv_id, results, is_aligned } = readAuthentication(
    'MX.example.com 1; dkim=fail (bad (nested) key) header.d=other.example; dkim=pass header.d=mail.people.example; spf=softfail smtp.mailfrom=x@other.example; dmarc=pass (p=NONE) header.from=people.example',
    'people.example',
  )
  t.equal(authserv_id, 'mx.example.com')
  t.same(
    [...results],
    [
      ['dkim', 'pass'],
      ['spf', 'softfail'],
      ['dmarc', 'pass'],
    ],
  )
  t.ok(is_aligned)
  t.notOk(readAuthentication('mx; spf=pass smtp.mailfrom=notpeople.example', 'people.example').is_aligned)
})

t.test('the HTML of an answer has nothing that runs or loads', async (t) => {
  const html = toHtml(
    '**b** <img src=x onerror=alert(1)> [a](javascript:alert(1)) ![p](https://t.example/p.png) [ok](https://x.example/?a="b")',
  )
  t.match(html, '<strong>b</strong>')
  t.match(html, '<a href="https://x.example/?a=')
  t.notMatch(html, /<img|href="javascript|<script/i)
  t.match(toHtml('| a |\n|---|\n| b |'), '<td>b</td>')
})
