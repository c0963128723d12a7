import type { InboundMessage } from '#plugin-api'
import slack from '../../channels/slack/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeSlack } from '../support/fake-slack.ts'
import { openChannel } from '../support/open-channel.ts'

/** Opens a channel; returns a function that sends an event to it and returns the message that was received. */
async function listen(t: Test) {
  const platform = await startFakeSlack()
  t.teardown(platform.close)
  const { received } = await openChannel(t, slack, platform)
  const tell = async (changes: object): Promise<InboundMessage | undefined> => {
    const receivedBefore = received.length
    const event = { type: 'message', channel: 'C0GROUP', user: 'ann', text: '', ts: '1700000001.000200' }
    await platform.deliver('events_api', { event: { ...event, ...changes } })
    return received[receivedBefore]
  }
  return { platform, tell }
}

const richText = (...elements: object[]) => [{ type: 'rich_text', elements }]
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements })
const words = (text: string) => ({ type: 'text', text })

t.test('only the mention of the bot is removed', async (t) => {
  const { tell } = await listen(t)
  const textOf = async (text: string) => (await tell({ text }))?.text
  t.equal(await textOf('<@U0BOT> @Override means what?'), '@Override means what?')
  t.equal(await textOf('<@U0BOT>@types/node'), '@types/node')
  t.equal(await textOf('<@U0BOT|helper>: /stop'), '/stop')
  t.equal(await textOf('<@U0BOT>, hello'), 'hello')
  t.equal(await textOf('<@U0BOT> :wave: hello'), ':wave: hello')
  t.equal(await textOf(':wave: <@U0BOT>'), ':wave:')
  t.equal(await textOf('@bot <@U0BOT>'), '@bot')
  t.equal(await textOf('<@U0CAT> and <@U0BOT>'), '<@U0CAT> and')
  t.equal(await textOf('in <#C0X|> and <#C0Y>'), 'in <#C0X|> and <#C0Y>', 'channels without a name')
  const alone = await tell({ text: '<@U0BOT>' })
  t.match(alone, { text: '', mentioned: true })
  t.notOk(alone!.unreadable, 'a mention alone is understood')
})

t.test('a text that is only in blocks is read', async (t) => {
  const { tell } = await listen(t)
  const textOf = async (...blocks: object[]) => (await tell({ blocks }))?.text
  const blocks = richText(
    section(
      { type: 'user', user_id: 'U0BOT' },
      words(' a < b & '),
      { type: 'text', text: 'code', style: { code: true } },
      words(' '),
      { type: 'link', url: 'https://a.example/?x=1&y=2', text: 'page' },
      words(' '),
      { type: 'link', url: 'https://b.example' },
      { type: 'emoji', name: 'wave' },
      { type: 'broadcast', range: 'here' },
      { type: 'user', user_id: 'U0CAT' },
      { type: 'channel', channel_id: 'C0X' },
      { type: 'usergroup', usergroup_id: 'S0X' },
      { type: 'date', timestamp: 1_700_000_000 },
      { type: 'color', value: '#fff' },
    ),
    { type: 'rich_text_list', style: 'ordered', elements: [section(words('one')), section(words('two'))] },
    { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [section(words('three'))] },
    { type: 'rich_text_quote', elements: [words('said\nbefore')] },
    { type: 'rich_text_preformatted', elements: [words('x = 1')] },
  )
  const written = await tell({ blocks })
  t.equal(written!.mentioned, true, 'the mention in it counts')
  t.equal(
    written!.text,
    [
      'a < b & `code` [page](https://a.example/?x=1&y=2) https://b.example:wave:@here<@U0CAT><#C0X><!subteam^S0X>2023-11-14T22:13:20.000Z#fff',
      '1. one',
      '2. two',
      '  - three',
      '> said',
      '> before',
      '```\nx = 1\n```',
    ].join('\n'),
  )
  t.equal((await tell({ text: 'the text', blocks }))!.text, 'the text', 'a text repeats the blocks')

  const object = (text: string, type = 'mrkdwn') => ({ type, text })
  t.equal(
    await textOf(
      { type: 'header', text: object('Title <1>', 'plain_text') },
      { type: 'section', text: object('*bold* &amp;'), fields: [object('a field')] },
      { type: 'context', elements: [object('small'), { type: 'image', alt_text: 'a cat' }] },
      { type: 'markdown', text: '**md** <x>' },
      { type: 'image', alt_text: 'a dog', title: object('Dog', 'plain_text') },
      { type: 'actions', elements: [{ type: 'button', text: object('Go', 'plain_text') }] },
      { type: 'table', rows: [[{ type: 'raw_text', text: 'a' }, richText(section(words('b')))[0]!]] },
      { type: 'divider' },
      { type: 'of_tomorrow' },
    ),
    [
      'Title <1>',
      '*bold* &',
      'a field',
      'small [image: a cat]',
      '**md** <x>',
      '[image: Dog]',
      '[Go]',
      'a | b',
    ].join('\n'),
  )
})

t.test('shared messages come along with their files', async (t) => {
  const { platform, tell } = await listen(t)
  const file = { filename: 'plan.txt', media_type: 'text/plain', bytes: new Uint8Array([1]) }
  const shared = { is_share: true, author_name: 'bob', channel_id: 'C0X', ts: '1.000001' }
  const quoteOf = async (...attachments: object[]) => (await tell({ attachments }))?.quote

  t.same(await quoteOf({ ...shared, text: 'ask <@U0BOT> &amp; <https://a.example|this>' }), {
    text: 'ask <@U0BOT> & [this](https://a.example)',
    sender: 'bob',
    is_forwarded: true,
  })
  t.equal((await tell({ attachments: [{ ...shared, text: '<@U0BOT>' }] }))!.mentioned, false)
  const message_blocks = [{ message: { blocks: richText(section(words('in blocks'))) } }]
  t.match(await quoteOf({ ...shared, message_blocks }), { text: 'in blocks' })
  t.match(await quoteOf({ ...shared, fallback: 'only this' }), { text: 'only this' })
  t.match(await quoteOf({ ...shared, text: 'one' }, { is_msg_unfurl: true, text: 'two' }), {
    text: 'one\n\ntwo',
  })
  t.match(await quoteOf({ ...shared, files: [platform.store(file)] }), {
    text: '',
    is_forwarded: true,
    files: [{ filename: 'plan.txt', size: 1 }],
  })
  t.match(await quoteOf({ ...shared, files: [{ id: 'F1', mode: 'tombstone' }] }), { text: '[deleted file]' })
  const silent = await tell({ attachments: [{ ...shared, text: 'x' }] })
  t.notOk(silent!.unreadable, 'a share without a comment')
})

t.test('the content of other programs is read', async (t) => {
  const { tell } = await listen(t)
  const textOf = async (text: string, ...attachments: object[]) => (await tell({ text, attachments }))?.text
  const alarm = {
    pretext: 'New alarm',
    author_name: 'Monitor',
    title: 'Down',
    title_link: 'https://a.example/1',
    text: 'The site is *down*.',
    fields: [{ title: 'Since', value: 'noon' }],
    footer: 'v2',
    fallback: 'not this',
  }
  const described = 'New alarm\nMonitor\n[Down](https://a.example/1)\nThe site is *down*.\nSince: noon\nv2'
  t.equal(await textOf('', alarm), described)
  t.equal(await textOf('look', alarm), `look\n\n${described}`)
  t.equal(await textOf('', { fallback: 'only this' }), 'only this')
  const blocks = richText(section(words('in blocks')))
  t.equal(await textOf('', { blocks, fallback: '[no preview available]' }), 'in blocks')
  const preview = { from_url: 'https://a.example', title: 'A page' }
  t.equal(
    await textOf('see https://a.example', preview),
    'see https://a.example',
    'not the preview of a link',
  )
  t.equal(await textOf('', preview), 'A page')
})

t.test('what people say of themselves, and what cannot be read', async (t) => {
  const { tell } = await listen(t)
  t.match(await tell({ subtype: 'me_message', channel: 'D0DIRECT', text: 'waves' }), { text: 'waves' })
  t.match(await tell({ channel: 'D0DIRECT' }), { text: '', unreadable: 'message' })
  t.match(await tell({ channel: 'D0DIRECT', blocks: [{ type: 'call' }] }), { unreadable: 'message' })
  t.notOk(await tell({ subtype: 'huddle_thread', user: 'USLACKBOT' }))
  t.notOk(await tell({ subtype: 'bot_message', text: '<@U0BOT> hello', bot_id: 'B0FLOW' }), 'a workflow')
})

t.test('files that cannot be downloaded are described', async (t) => {
  const { platform, tell } = await listen(t)
  const textOf = async (file: object) => {
    const { text, files } = (await tell({ subtype: 'file_share', files: [file] }))!
    t.notOk(files)
    return text
  }
  const permalink = 'https://x.slack.com/files/F1'
  t.equal(await textOf({ id: 'F1', mode: 'tombstone' }), '[deleted file]')
  t.equal(await textOf({ id: 'F1', file_access: 'file_not_found' }), '[deleted file]')
  t.equal(
    await textOf({ id: 'F1', name: 'a.png', mode: 'hidden_by_limit' }),
    '[file hidden by the limits of the Slack plan: a.png]',
  )
  t.equal(await textOf({ id: 'F1', file_access: 'access_denied' }), '[file that the app may not read]')
  const external = { id: 'F1', title: 'Plan', mode: 'external', url_private: 'https://docs.example/d/1' }
  t.equal(await textOf(external), '[file on another site: Plan https://docs.example/d/1]')
  t.equal(
    await textOf({ id: 'F1', title: 'Notes', filetype: 'quip', permalink }),
    `[canvas: Notes ${permalink}]`,
  )
  t.equal(await textOf({ id: 'F1', title: 'Tasks', mode: 'list', permalink }), `[list: Tasks ${permalink}]`)
  t.equal(await textOf({ id: 'F1' }), '[file]')

  const file = { filename: 'a.py', media_type: 'text/plain', bytes: new Uint8Array([1]) }
  const both = await tell({ text: 'look', files: [platform.store(file, { mode: 'snippet' }), external] })
  t.match(both, {
    text: 'look\n\n[file on another site: Plan https://docs.example/d/1]',
    files: [{ filename: 'a.py' }],
  })
  t.equal(both!.files!.length, 1)
  t.match(await tell({ files: [{ id: 'F9', file_access: 'check_file_info' }] }), {
    files: [{ reference: { id: 'F9' } }],
  })
  t.match(await tell({ files: [platform.store(file)] }), { mentioned: false, files: [{ filename: 'a.py' }] })
})
