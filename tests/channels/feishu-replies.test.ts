import pino from 'pino'
import type { JSONValue, OutboundMessage } from '#plugin-api'
import { answerPress } from '../../channels/feishu/card-press.ts'
import kind from '../../channels/feishu/index.ts'
import t from '../run/file-test.ts'
import { openChannel } from '../support/open-channel.ts'
import { failureOf, never } from './channel-calls.ts'
import { saying, start, targetOf, until } from './feishu-calls.ts'

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3)

t.test('an answer is sent', async (t) => {
  const channel = await start(t)
  const { fake, connection } = channel
  const shown = (conversation: 'direct' | 'group') => fake.shown(conversation).at(-1)!

  await t.test('to somebody alone, once for each key', async (t) => {
    const target = await targetOf(channel)
    const message = saying('**bold** and a [link](https://example.com/)')
    const sent = await connection.send(target, message, never)
    t.same(await connection.send(target, message, never), sent)
    t.equal(fake.shown('direct').length, 1)
    t.match(shown('direct'), { text: message.text, buttons: [], is_live: false })
    t.equal(fake.answered(shown('direct').id), undefined)
  })

  await t.test('below the message in a group', async (t) => {
    const target = await targetOf(channel, { text: 'hi', place: 'group' })
    await connection.send(target, saying('there'), never)
    t.equal(fake.answered(shown('group').id), channel.received.at(-1)!.id)
  })

  await t.test('in the chat where the message was withdrawn', async (t) => {
    const target = await targetOf(channel, { text: 'oh no', place: 'group' })
    fake.withdraw(channel.received.at(-1)!.id)
    await connection.send(target, saying('too late'), never)
    t.equal(shown('group').text, 'too late')
    t.equal(fake.answered(shown('group').id), undefined)
  })

  await t.test('without its marks if they are refused', async (t) => {
    const target = await targetOf(channel)
    const tables = '| a | b |\n| --- | --- |\n| 1 | 2 |\n\n'.repeat(6)
    const buttons = [{ label: 'Yes', value: 'yes', style: 'primary' }] as const
    await connection.send(target, saying(tables, { buttons: [...buttons] }), never)
    t.match(shown('direct'), { text: tables, buttons: ['Yes'] })
  })

  await t.test('without half a character', async (t) => {
    await connection.send(await targetOf(channel), saying('half \ud83d of it'), never)
    t.equal(shown('direct').text, 'half \ufffd of it')
    const label = `${'a'.repeat(99)}😀`
    const buttons = [{ label, value: 'yes', style: 'primary' }] as const
    await connection.send(
      await targetOf(channel),
      saying(`${'a'.repeat(99)}😀`, { buttons: [...buttons] }),
      never,
    )
    t.match(shown('direct'), { text: label, buttons: ['a'.repeat(99)] })
  })

  await t.test('of code as long as any', async (t) => {
    const line = '  "key": "value",\n'
    const code = `\`\`\`json\n${line.repeat(1100)}\`\`\``
    t.ok(Buffer.byteLength(code) < kind.capabilities.direct.max_length)
    t.ok(Buffer.byteLength(code) > 0.9 * kind.capabilities.direct.max_length)
    await connection.send(await targetOf(channel), saying(code), never)
    t.equal(shown('direct').text, code)
    const live = await connection.live!(await targetOf(channel), saying('Here:'), never)
    await live.update(code, never)
    await live.finish(code, never)
    t.match(shown('direct'), { text: code, is_live: false })
  })

  await t.test('without calling everybody', async (t) => {
    await connection.send(await targetOf(channel), saying('<at id=all></at> look'), never)
    t.equal(shown('direct').text, '&#60;at id=all>&#60;/at> look')
  })

  await t.test('without images from elsewhere', async (t) => {
    const text = 'See ![a chart](https://example.com/a.png "A") and ![](https://example.com/b.png).'
    await connection.send(await targetOf(channel), saying(`${text} Write \`![x](y)\`.`), never)
    t.equal(
      shown('direct').text,
      'See [a chart](https://example.com/a.png) and [https://example.com/b.png](https://example.com/b.png). Write `![x](y)`.',
    )
  })

  await t.test('unless it is too much', async (t) => {
    const target = await targetOf(channel)
    const message = saying('later')
    fake.limitRate(1, 7)
    t.match(await failureOf(connection.send(target, message, never)), {
      reason: 'rate_limited',
      retry_after_ms: 7000,
    })
    await connection.send(target, message, never)
    t.equal(shown('direct').text, 'later')
  })

  await t.test('unless the platform is out of order', async (t) => {
    const target = await targetOf(channel)
    fake.fail(2)
    t.equal((await failureOf(connection.send(target, saying('x'), never))).reason, 'unreachable')
    t.equal((await failureOf(connection.send(target, saying('x'), never))).reason, 'unreachable')
  })

  await t.test('in the chat where the message cannot be replied to', async (t) => {
    for (const code of [230011, 230110, 231003, 230019, 230050, 230054, 230111]) {
      const target = await targetOf(channel, { text: 'oh no', place: 'group' })
      fake.refuse('/reply', code)
      await connection.send(target, saying(`after ${code}`), never)
      t.equal(shown('group').text, `after ${code}`)
      t.equal(fake.answered(shown('group').id), undefined)
    }
    const target = await targetOf(channel, { text: 'oh no', place: 'group' })
    fake.refuse('/reply', 230001, {
      words: 'Your request contains an invalid request parameter, ext=invalid message_id',
    })
    await connection.send(target, saying('after all'), never)
    t.equal(shown('group').text, 'after all')
  })

  await t.test('in the thread where the message was withdrawn', async (t) => {
    fake.write({ id: 'om_root', type: 'text', content: { text: 'The topic' }, thread_id: 'omt_1' })
    const where = { text: 'hi', place: 'group', thread: 'omt_1', parent: 'om_root', root: 'om_root' } as const
    const target = await targetOf(channel, where)
    fake.withdraw(channel.received.at(-1)!.id)
    await connection.send(target, saying('still here'), never)
    t.equal(shown('group').text, 'still here')
    t.equal(fake.answered(shown('group').id), 'om_root')

    const other = await targetOf(channel, where)
    fake.refuse('/reply', 230019, { times: 2 })
    await connection.send(other, saying('the topic is gone'), never)
    t.equal(fake.answered(shown('group').id), undefined)
  })

  await t.test('without a thread in a group that has none', async (t) => {
    for (const code of [230071, 230072]) {
      const target = await targetOf(channel, { text: 'hi', place: 'group' })
      fake.refuse('/reply', code)
      await connection.send({ ...(target as object), thread: true }, saying('here'), never)
      t.equal(fake.answered(shown('group').id), channel.received.at(-1)!.id)
    }
  })

  const final = { is_about_text: false, retry_after_ms: undefined }
  const refusals = [
    ...[230002, 230006, 230013, 230015, 230017, 230018, 230027, 230035].map(
      (code) => ['forbidden', code] as const,
    ),
    ...[230036, 230038, 230053, 230075, 99991672, 99991662].map((code) => ['forbidden', code] as const),
    ...[230031, 230034, 232009, 230029].map((code) => ['not_found', code] as const),
    ...[230054, 230055].map((code) => ['unsupported', code] as const),
    ...[424242, 10002].map((code) => ['unknown', code] as const),
  ]
  for (const [reason, code] of refusals)
    await t.test(`unless it is refused with ${code}`, async (t) => {
      const target = await targetOf(channel)
      fake.refuse('POST /im/v1/messages', code)
      t.match(await failureOf(connection.send(target, saying('x'), never)), {
        reason,
        ...final,
        message: /\d/,
      })
    })

  const aboutText = [
    ['unsupported', 230025],
    ['unsupported', 230099],
    ['forbidden', 230022],
    ['forbidden', 230028],
  ] as const
  for (const [reason, code] of aboutText)
    await t.test(`unless its text is refused with ${code}`, async (t) => {
      const target = await targetOf(channel)
      fake.refuse('POST /im/v1/messages', code, { times: code === 230099 ? 2 : 1 })
      t.match(await failureOf(connection.send(target, saying('x'), never)), { reason, is_about_text: true })
    })

  await t.test('unless a parameter is invalid, whose name tells if it is the text', async (t) => {
    const target = await targetOf(channel)
    const refusedFor = (words: string) => {
      fake.refuse('POST /im/v1/messages', 230001, { words })
      return failureOf(connection.send(target, saying('x'), never))
    }
    t.match(await refusedFor('invalid request parameter, ext=invalid receive_id'), { is_about_text: false })
    t.match(await refusedFor('invalid request parameter, ext=text content is empty'), { is_about_text: true })
  })

  for (const code of [230020, 99991400, 11232, 11233, 230049])
    await t.test(`unless it must wait, by ${code}`, async (t) => {
      const target = await targetOf(channel)
      fake.refuse('POST /im/v1/messages', code)
      const failure = await failureOf(connection.send(target, saying('x'), never))
      t.match(failure, { reason: 'rate_limited', retry_after_ms: 1000, is_about_text: false })
    })

  const pages = [
    [413, 'unsupported', true],
    [404, 'unknown', false],
    [408, 'unreachable', false],
    [503, 'unreachable', false],
  ] as const
  for (const [status, reason, is_about_text] of pages)
    await t.test(`unless a proxy answers with HTTP ${status}`, async (t) => {
      const target = await targetOf(channel)
      fake.refuse('POST /im/v1/messages', 0, { status, words: '<html>' })
      t.match(await failureOf(connection.send(target, saying('x'), never)), { reason, is_about_text })
    })

  await t.test('unless the caller leaves', async (t) => {
    const target = await targetOf(channel)
    fake.faults.isSilent = true
    const abort = new AbortController()
    const sending = failureOf(connection.send(target, saying('x'), abort.signal))
    const reason = new Error('enough')
    abort.abort(reason)
    t.equal(await sending, reason)
    fake.faults.isSilent = false
  })
})

t.test('an expired token is replaced once, for all', async (t) => {
  const channel = await start(t)
  const { fake, connection } = channel
  const target = await targetOf(channel)
  const asked = () => fake.calls.filter(({ path }) => path.includes('tenant_access_token')).length
  const askedBefore = asked()
  fake.expireTokens()
  await Promise.all(['a', 'b', 'c', 'd'].map((text) => connection.send(target, saying(text), never)))
  t.equal(fake.shown('direct').length, 4)
  t.equal(asked(), askedBefore + 1)

  fake.refuse('POST /im/v1/messages', 99991663, { times: 2 })
  t.equal((await failureOf(connection.send(target, saying('e'), never))).reason, 'invalid_credentials')
})

t.test('files are sent', async (t) => {
  const channel = await start(t)
  const { fake, connection } = channel
  const send = async (filename: string, media_type: string, bytes: Uint8Array) => {
    const target = await targetOf(channel)
    await connection.sendFile!(target, { filename, media_type, bytes, key: saying('').key }, never)
    return fake.shown('direct').at(-1)!.file!
  }
  const uploads = () =>
    fake.calls.filter(({ path }) => /\/(images|files)$/.test(path)).map(({ path }) => path)

  t.match(await send('chart.png', 'image/png', PNG), { media_type: 'image/png', bytes: PNG })
  t.match(await send('数据.csv', 'text/csv', Buffer.from('a,b')), {
    filename: '数据.csv',
    bytes: new Uint8Array(Buffer.from('a,b')),
  })
  t.same(uploads(), ['/im/v1/images', '/im/v1/files'])
  t.match(await send('odd.png', 'image/png', Buffer.from('no image')), { filename: 'odd.png' })
  t.same(uploads().slice(2), ['/im/v1/images', '/im/v1/files'])

  const refused = async (bytes: Uint8Array) =>
    (await failureOf(send('x.bin', 'application/zip', bytes))).reason
  t.equal(await refused(new Uint8Array()), 'unsupported')
  t.equal(await refused(new Uint8Array(31 * 1024 * 1024)), 'unsupported')
  fake.limitRate(1, 2)
  t.equal(await refused(Buffer.from('x')), 'rate_limited')
})

t.test('a live message', async (t) => {
  const channel = await start(t)
  const { fake, connection } = channel
  const shown = () => fake.shown().at(-1)!
  const begin = async (text: string) => connection.live!(await targetOf(channel), saying(text), never)

  await t.test('grows and ends', async (t) => {
    const marks = await begin('***')
    await marks.finish('***', never)
    const live = await begin('One')
    t.match(shown(), { text: 'One', is_live: true, history: [] })
    await live.update('One, two', never)
    await live.finish('One, two, three.', never)
    const whole = { text: 'One, two, three.', is_live: false, history: ['One', 'One, two'] }
    t.match(shown(), whole)
    await live.finish('One, two, three.', never)
    await live.update('no more', never)
    t.match(shown(), whole)
  })

  await t.test('answers below the message in a group', async (t) => {
    const target = await targetOf(channel, { text: 'go', place: 'group' })
    await connection.live!(target, saying('…'), never)
    t.equal(fake.answered(shown().id), channel.received.at(-1)!.id)
  })

  await t.test('goes on in another process', async (t) => {
    const live = await begin('first')
    await live.update('first, second', never)
    await live.update('first, second, third', never)
    const other = await openChannel(t, kind, fake)
    const reference = JSON.parse(JSON.stringify(live.reference))
    const target = channel.received.at(-1)!.target
    const resumed = await other.connection.live!(target, saying('first, second, third …'), never, reference)
    t.equal(shown().text, 'first, second, third …')
    await resumed.finish('All of it.', never)
    t.match(shown(), { text: 'All of it.', is_live: false })
    const again = await other.connection.live!(target, saying('All of it.'), never, reference)
    await again.finish('All of it.', never)
    t.match(shown(), { text: 'All of it.', is_live: false })
    await other.close()
  })

  await t.test('goes on though the clock of the other process is behind', async (t) => {
    const live = await begin('early')
    await live.update('earlier', never)
    const reference = { ...(live.reference as { begun_at: number }), begun_at: Date.now() + 30_000 }
    const target = channel.received.at(-1)!.target
    const resumed = await connection.live!(target, saying('earliest'), never, reference as JSONValue)
    await resumed.finish('done', never)
    t.equal(shown().text, 'done')
    for (const text of ['done once more', 'done permanently']) {
      const again = await connection.live!(target, saying(text), never, reference as JSONValue)
      await again.finish(text, never)
      t.equal(shown().text, text)
    }
  })

  await t.test('is shown whole where the platform has ended its streaming', async (t) => {
    const live = await begin('slow')
    fake.stopStreams()
    await live.update('slow work', never)
    t.equal(shown().text, 'slow work')
    await live.finish('slow work, done', never)
    t.match(shown(), { text: 'slow work, done', is_live: false })

    const other = await begin('late')
    await other.update('later', never)
    fake.refuse('/settings', 300309)
    await other.finish('latest', never)
    t.equal(shown().text, 'latest')
  })

  await t.test('is shown whole where its text or its settings cannot be changed alone', async (t) => {
    for (const code of [300310, 300313, 200850]) {
      const live = await begin('one')
      fake.refuse('/content', code)
      await live.update(`two ${code}`, never)
      await live.finish(`three ${code}`, never)
      t.match(shown(), { text: `three ${code}`, is_live: false, history: ['one', `two ${code}`] })
    }
    for (const code of [10002, 300122]) {
      const live = await begin('one')
      fake.refuse('/settings', code)
      await live.finish(`all ${code}`, never)
      t.match(shown(), { text: `all ${code}`, is_live: false })
    }
  })

  await t.test('is shown without its marks if they are refused', async (t) => {
    const live = await begin('a table')
    const tables = '| a | b |\n| --- | --- |\n| 1 | 2 |\n\n'.repeat(6)
    await live.update(tables, never)
    t.equal(shown().text, tables)
    await live.finish(`${tables}.`, never)
    t.match(shown(), { text: `${tables}.`, is_live: false })
  })

  await t.test('is no message where the app may not change cards', async (t) => {
    const target = await targetOf(channel)
    fake.refuse('POST /cardkit/v1/cards', 99991672)
    t.equal((await failureOf(connection.live!(target, saying('x'), never))).reason, 'unsupported')
  })

  await t.test('is one message if the first attempt had an unknown outcome', async (t) => {
    const target = await targetOf(channel)
    const message = saying('twice')
    fake.refuse('POST /im/v1/messages', 0, { status: 500 })
    t.equal((await failureOf(connection.live!(target, message, never))).reason, 'unreachable')
    const live = await connection.live!(target, message, never)
    await live.finish('once', never)
    t.equal(shown().text, 'once')
    t.equal(
      fake.calls.filter(({ path, body }) => path === '/cardkit/v1/cards' && /twice/.test(body.data)).length,
      1,
    )
  })

  await t.test('says when it is too much', async (t) => {
    const live = await begin('fast')
    fake.limitRate(1, 3)
    t.match(await failureOf(live.update('faster', never)), { reason: 'rate_limited', retry_after_ms: 3000 })
    fake.refuse('/settings', 99991400)
    t.equal((await failureOf(live.finish('fastest', never))).reason, 'rate_limited')
    await live.finish('fastest', never)
    t.match(shown(), { text: 'fastest', is_live: false })
    fake.refuse('/content', 200810)
    t.match(await failureOf((await begin('x')).update('pressed', never)), { reason: 'rate_limited' })
    fake.refuse('/content', 200860)
    t.match(await failureOf((await begin('x')).update('long', never)), {
      reason: 'unsupported',
      is_about_text: true,
    })
    fake.refuse('/content', 300120)
    t.match(await failureOf((await begin('x')).update('odd', never)), { reason: 'unreachable' })
    fake.refuse('/content', 200750)
    t.equal((await failureOf((await begin('x')).update('gone', never))).reason, 'not_found')
  })
})

t.test('buttons', async (t) => {
  let outcome: { notice: string; text?: string } = { notice: 'Not you.' }
  const channel = await start(t, { outcomeOf: () => outcome })
  const { fake, connection, presses } = channel
  const buttons: OutboundMessage['buttons'] = [
    { label: 'Approve', value: 'ap:1', style: 'primary' },
    { label: 'Reject', value: 'rj:1', style: 'danger' },
    { label: 'Later', value: 'la:1', style: 'default' },
  ]
  const target = await targetOf(channel, { text: 'do it', place: 'group', thread: 'omt_2' })
  const sent = await connection.send(target, saying('May I?', { buttons }), never)
  const shown = () => fake.shown('group').at(-1)!
  t.same(shown().buttons, ['Approve', 'Reject', 'Later'])

  t.equal(await fake.press(shown().id, 'Reject', 'eve'), 'Not you.')
  t.same(presses, [{ value: 'rj:1', sender: { id: 'eve' }, conversation_id: 'oc_group:omt_2' }])
  t.match(shown(), { text: 'May I?', buttons: ['Approve', 'Reject', 'Later'] })

  outcome = { notice: 'Approved.', text: 'May I? **Yes**' }
  t.equal(await fake.press(shown().id, 'Approve'), 'Approved.')
  t.match(shown(), { text: 'May I? **Yes**', buttons: [] })

  outcome = { notice: 'It is not waiting.' }
  t.equal(await fake.press(shown().id, 'Approve', 'eve'), 'It is not waiting.')
  t.match(shown(), { text: 'May I? **Yes**', buttons: [] })

  await connection.settle!(target, sent, 'It was done.', never)
  t.match(shown(), { text: 'It was done.', buttons: [] })
  const tables = '| a | b |\n| --- | --- |\n| 1 | 2 |\n\n'.repeat(6)
  await connection.settle!(target, sent, tables, never)
  t.equal(shown().text, tables)
  fake.withdraw(shown().id)
  t.equal((await failureOf(connection.settle!(target, sent, 'x', never))).reason, 'not_found')
})

t.test('a press that takes long is answered in time', async (t) => {
  const event = {
    action: { value: { press: 'ap:1', conversation_id: 'c' } },
    operator: { open_id: 'ann' },
  }
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  let fail = (_error: Error) => {}
  const press = () =>
    new Promise<never>((_, reject) => {
      fail = reject
    })
  t.equal(await answerPress(event, { press, log, answerMs: 1 }), undefined)
  t.same(lines, [])
  fail(new Error('the database is unavailable'))
  await until(() => lines.length === 1)
  t.match(lines[0], /a press that took long has failed/)
})

t.test('a press that fails is reported to the platform', async (t) => {
  const channel = await start(t, {
    outcomeOf() {
      throw new Error('the database is unavailable')
    },
  })
  const buttons: OutboundMessage['buttons'] = [{ label: 'Go', value: 'go', style: 'primary' }]
  await channel.connection.send(await targetOf(channel), saying('Go?', { buttons }), never)
  t.equal(await channel.fake.press(channel.fake.shown().at(-1)!.id, 'Go'), undefined)
  t.equal(channel.fake.events.acknowledged.at(-1), 500)
})
