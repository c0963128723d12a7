import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { runCommand } from '../../support/kernel.ts'
import { createSearchCalls, matchesOf, type Row } from './search-calls.ts'

const chat = await startChat(t)
const { server, threads } = chat
const { request, say, search } = createSearchCalls(chat)

/** Leaves out the rows of titles. */
const messagesOf = (rows: Row[]) => rows.filter(({ message_id }) => message_id !== null)

const TEXTS = {
  english: 'The quarterly figures of the northern lighthouse were presented on Monday',
  german: 'Die Straße über die Brücke führt nach Köln, schön gelegen am Fluß',
  french: 'Le café à côté sert une crème brûlée délicieuse',
  chinese: '今天天气很好，我们去公园散步，然后讨论机器学习的问题',
  japanese: '東京タワーの近くでラーメンを食べました',
  korean: '학교에서 친구들과 함께 공부했습니다',
  thai: 'วันนี้อากาศดีมากเราไปเที่ยวทะเลกัน',
  arabic: 'ذهبت إلى المَدْرَسَة مع أصدقائي في الصباح',
  russian: 'Сегодня мы обсуждали отчёт о продажах и ёлку',
  greek: 'Ο Οδυσσεύς γύρισε στην Ιθάκη',
  hindi: 'मुझे हिन्दी में किताब पढ़ना पसंद है',
  emoji: 'We shipped it 🚀 and celebrated with 🎂',
  numbers: 'Invoice 20261128 over 1,499.95 EUR, order number 4711',
  code: 'Call foo_bar.baz(quux) and readFileSync in src/index.ts',
  mail: 'Write to jane.doe@example.com or see https://docs.example.org/guide/setup?lang=en#install',
  short: 'AI and Go in C on an ok PC',
  full: 'ＦＵＬＬＷＩＤＴＨ ﬁgure ½ ㎏',
}
const threadOf = new Map<string, string>()
for (const [name, text] of Object.entries(TEXTS)) threadOf.set(name, await say(`Case ${name}`, text))

for (const [name, queries] of Object.entries({
  english: [
    'quarterly',
    'quar',
    'QUARTERLY figures',
    'figures quarterly',
    'lighthouse mon',
    '"northern lighthouse"',
  ],
  german: ['strasse', 'Straße', 'STRASSE', 'brucke', 'Brücke', 'köln', 'koln', 'schon', 'fluss'],
  french: ['cafe', 'café', 'creme brulee', '"crème brûlée"', '« creme brulee »'],
  chinese: ['天气', '机器学习', '公园', '散步', '今天讨论', '学', '“机器学习”'],
  japanese: ['東京', 'ラーメン', '東京タワー', 'タワー', '食べました'],
  korean: ['학교', '친구', '공부'],
  thai: ['อากาศ', 'ทะเล', 'วันนี้ ทะเล'],
  arabic: ['المدرسة', 'المَدْرَسَة', 'أصدقائي', 'اصدقائي'],
  russian: ['отчет', 'отчёт', 'ОТЧЁТ', 'прод', 'елку'],
  greek: ['οδυσσευς', 'ΟΔΥΣΣΕΥΣ', 'Ιθάκη', 'ιθακη'],
  hindi: ['हिन्दी', 'किताब'],
  emoji: ['🚀', '🎂', 'shipped 🚀'],
  numbers: ['20261128', '2026', '4711', '1,499.95'],
  code: ['foo_bar.baz', 'foo_bar', 'baz', 'readfilesync', 'readFile', 'src/index.ts', 'index.ts'],
  mail: [
    'jane.doe@example.com',
    'jane.doe',
    'docs.example.org',
    'https://docs.example.org/guide/setup',
    '#install',
  ],
  short: ['ai', 'go', 'c', 'ok pc'],
  full: ['fullwidth', 'figure', '1⁄2', 'kg'],
}))
  for (const q of queries)
    t.test(`"${q}" finds the message in the case ${name}`, async (t) => {
      const rows = messagesOf(await search({ q }))
      const row = rows.find(({ thread_id }) => thread_id === threadOf.get(name))
      t.match(row, { role: 'assistant', agent_id: chat.agent_id, title: `Case ${name}` })
      t.ok(row && matchesOf(row).length > 0, 'and shows where')
    })

for (const [q, name] of [
  ['uarterly', 'english'],
  ['quarterly lighthouses', 'english'],
  ['"figures quarterly"', 'english'],
  ['"northern light"', 'english'],
  ['"northern monday"', 'english'],
  ['bar_foo', 'code'],
  ['jane.doe@example.org', 'mail'],
  ['天散', 'chinese'],
  ['“天气公园”', 'chinese'],
  ['a', 'short'],
  ['🎉', 'emoji'],
] as const)
  t.test(`"${q}" does not find the message in the case ${name}`, async (t) => {
    const rows = await search({ q })
    t.notOk(rows.some(({ thread_id }) => thread_id === threadOf.get(name)))
  })

t.test('a snippet is the part of a long message with the words, in one line', async (t) => {
  const filler = 'word after word of the usual kind\n'.repeat(400)
  const thread_id = await say(
    'A long one',
    `${filler}here the zirconium lies\n\nnext to **hafnium**, in grams. ${filler}`,
  )
  const [row] = messagesOf(await search({ q: 'zirconium hafnium' }))
  t.equal(row?.thread_id, thread_id)
  t.strictSame(matchesOf(row!), ['zirconium', 'hafnium'])
  const text = row!.snippet.map((part) => part.text).join('')
  t.match(text, /^….*here the zirconium lies next to hafnium, in grams\..*…$/)
  t.ok(text.length < 250)
})

t.test('a snippet of an answer has the words of its Markdown, without marks', async (t) => {
  const textOf = async (q: string) => {
    const [row] = messagesOf(await search({ q })).filter(({ role }) => role === 'assistant')
    return { text: row!.snippet.map(({ text }) => text).join(''), matches: matchesOf(row!) }
  }
  await say(
    'Prices of krypton?',
    [
      '## Prices of **krypton**',
      '',
      '| Gas | *Price* |',
      '|:---|---:|',
      '| krypton | 5 \\* 3 |',
      '',
      '> - [x] see [the list](https://example.com/quokkas/2026 "all") or `a_b * c_d`',
      '',
      '```sh',
      'ls | grep *wallaby*',
      '```',
    ].join('\n'),
  )
  t.strictSame(await textOf('krypton'), {
    text: 'Prices of krypton Gas · Price krypton · 5 * 3 see the list or a_b * c_d ls | grep *wallaby*',
    matches: ['krypton', 'krypton'],
  })
  const { text, matches } = await textOf('quokkas')
  t.match(text, 'the list (https://example.com/quokkas/2026) or')
  t.strictSame(matches, ['quokkas'], 'the target of a link is shown if it is looked for')

  await say('And this?', 'un**xenonic** and __argonic__ and 2 * 3 * 4 and snake_case_neonic')
  t.match(await textOf('xenonic'), { text: /un\*\*xenonic\*\*/, matches: ['xenonic'] })
  t.match(await textOf('argonic'), { text: /argonic and 2 \* 3 \* 4 and snake_case_neonic/ })

  await say('I wrote **rubidium** myself', 'Yes')
  const [own] = messagesOf(await search({ q: 'rubidium' }))
  t.match(own!.snippet.map(({ text }) => text).join(''), /\*\*rubidium\*\*/, 'as the console shows it')
})

t.test('answers with thousands of marks that do not end are found', async (t) => {
  const { body } = await request({ q: 'osmium' })
  t.strictSame(body, [])
  for (const mark of ['*', '**', '_', '[', '![](', '`', '<a ', '| ', '> ', '~~', '\\', '- ', ' '])
    await say('Marks', `${mark.repeat(20_000 / mark.length)} osmium`)
  t.equal(messagesOf(await search({ q: 'osmium' })).length, 13)
})

t.test('a title comes before messages, without a message', async (t) => {
  const thread_id = await say('Wombats in winter', 'They sleep')
  const other = await say('What do marsupials do?', 'Ask about wombats again')
  const rows = await search({ q: 'wombat' })
  t.match(rows, [
    { thread_id, title: 'Wombats in winter', message_id: null, role: null },
    { thread_id: other, role: 'assistant' },
    { thread_id, role: 'user' },
  ])
  t.strictSame(matchesOf(rows[0]!), ['Wombat'])
})

t.test('a changed title is found at once, and the former one is not', async (t) => {
  const thread_id = await say('hello there', 'good day')
  await threads('PATCH', `/${thread_id}`, { body: { title: 'Ornithology für Anfänger' } })
  t.match(await search({ q: 'anfanger ornithology' }), [{ thread_id, message_id: null }])
  await threads('PATCH', `/${thread_id}`, { body: { title: 'Something else' } })
  t.strictSame(await search({ q: 'ornithology' }), [])
})

t.test('messages come newest first, over pages of any size', async (t) => {
  const texts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
  const first = await say('begin', 'axolotl zero')
  for (const text of texts.slice(0, 3)) await say(`axolotl ${text}`, 'yes', { thread_id: first })
  for (const text of texts.slice(3)) await say(text, `axolotl ${text}`)
  const all = await search({ q: 'axolotl' })
  t.equal(all.length, 8)
  const times = all.map(({ timestamp }) => Math.floor(timestamp / 1000))
  t.strictSame(
    times,
    times.toSorted((a, b) => b - a),
  )
  for (const limit of ['1', '2', '3', '200']) t.strictSame(await search({ q: 'axolotl', limit }), all, limit)
  t.equal((await request({ q: 'axolotl', limit: '3' })).body.length, 3)
})

t.test('titles continue over pages into messages', async (t) => {
  for (const n of [1, 2, 3]) await say(`Pangolin number ${n}`, `pangolin ${n}`)
  const all = await search({ q: 'pangolin' })
  t.strictSame(
    all.map(({ message_id }) => message_id === null),
    [true, true, true, false, false, false, false, false, false],
  )
  for (const limit of ['1', '2', '3', '4']) t.strictSame(await search({ q: 'pangolin', limit }), all, limit)
})

t.test('archived conversations stay searchable', async (t) => {
  const thread_id = await say('hi', 'the capybara rests')
  await threads('PATCH', `/${thread_id}`, { body: { archived: true } })
  t.match(await search({ q: 'capybara' }), [{ thread_id }])
})

t.test('filters choose the agent, the project and the time', async (t) => {
  const thread_id = await say('where', 'in the tundra of Lapland')
  const { body } = await server.request('POST', '/agents', { body: { name: 'second' } })
  const socket = await chat.connect({ agent_id: body.id })
  chat.fake.next({ text: ['the tundra of Siberia'] })
  const other = await socket.ask({ text: 'and where' })
  socket.close()
  const idsOf = (rows: Row[]) => rows.map((row) => row.thread_id)
  t.match(await search({ q: 'tundra' }), [{ agent_name: 'second' }, { thread_id }])
  t.strictSame(idsOf(await search({ q: 'tundra', agent_id: body.id })), [other.thread_id])
  t.strictSame(idsOf(await search({ q: 'tundra', agent_id: chat.agent_id })), [thread_id])
  t.strictSame(await search({ q: 'tundra', agent_id: 'none' }), [])

  await server.db
    .collection<{ _id: string }>('threads')
    .updateOne({ _id: thread_id }, { $set: { project_id: 'prj_1' } })
  t.strictSame(idsOf(await search({ q: 'tundra', project_id: 'prj_1' })), [thread_id])
  t.strictSame(await search({ q: 'tundra', project_id: 'prj_2' }), [])

  const today = new Date().toISOString().slice(0, 10)
  const now = Math.floor(Date.now() / 1000)
  for (const [query, count] of [
    [{ from: today }, 2],
    [{ to: today }, 2],
    [{ from: '2020-01-01', to: '2020-12-31' }, 0],
    [{ from: String(now - 3600), to: String(now + 3600) }, 2],
    [{ from: String(now + 3600) }, 0],
    [{ to: `${today}T00:00:00Z` }, 0],
    [{ from: '2020-01-01T10:00:00+02:00' }, 2],
  ] as const)
    t.equal((await search({ q: 'tundra', ...query })).length, count, JSON.stringify(query))
  for (const from of ['yesterday', '2020-13-01', '2020-02-31T99:00', '-5', '1e9'])
    t.match(
      await request({ q: 'tundra', from }),
      { status: 422, body: { error: { code: 'VALIDATION_FAILED' } } },
      from,
    )
})

t.test('nobody finds the conversations of others', async (t) => {
  const [ann, bob] = [
    await server.createUser({ username: 'ann' }),
    await server.createUser({ username: 'bob' }),
  ]
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const ofAnn = await say('Chinchilla secrets', 'a chinchilla of Ann', { token: ann.token })
  const ofBob = await say('Chinchilla plans', 'a chinchilla of Bob', { token: bob.token })
  const idsOf = async (token?: string) => [
    ...new Set((await search({ q: 'chinchilla', limit: '2' }, token)).map((row) => row.thread_id)),
  ]
  t.strictSame(await idsOf(ann.token), [ofAnn])
  t.strictSame(await idsOf(bob.token), [ofBob])
  t.strictSame(await idsOf(), [], 'not even the administrator, who owns the agent')
  t.match(await server.request('GET', '/search?q=chinchilla', { token: null }), { status: 401 })
})

t.test('hostile queries are answered', async (t) => {
  for (const q of [
    '.*',
    '(',
    '[a-z',
    '\\',
    '^$',
    '!!!',
    '"',
    '""',
    '" "',
    '…',
    '$ne',
    '{"$gt":""}',
    '\u0000',
    '\u200d',
    '%00',
  ])
    t.equal((await request({ q })).status, 200, JSON.stringify(q))
  t.equal((await server.request('GET', '/search?q=%ED%A0%80')).status, 200, 'half of a pair')
  t.equal((await request({ q: 'the '.repeat(64) })).status, 200)
  t.equal((await request({ q: '天'.repeat(256) })).status, 200)
  for (const q of ['', 'word '.repeat(10_000), '天'.repeat(257)]) {
    const { status } = await request({ q })
    t.ok(status === 422 || status === 414 || status === 431, `${status}`)
  }
  t.match(await server.request('GET', '/search'), { status: 422 })
  for (const cursor of ['x', 'W10', Buffer.from('["message",{"$gt":0},"a",1]').toString('base64url')])
    t.match(await request({ q: 'the', cursor }), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED' } },
    })
})

t.test('the own text of an agent is found, not that of its tools', async (t) => {
  const socket = await chat.connect()
  const call = { id: 'call_1', name: 'write_file', arguments: { path: 'a.txt', content: 'hibernating' } }
  chat.fake.next({ text: ['I look for marmots'], toolCalls: [call] }, { text: ['There are no marmots here'] })
  const { thread_id } = await socket.ask({ text: 'go' })
  socket.close()
  const rows = await search({ q: 'marmots' })
  t.equal(rows.length, 2)
  t.ok(rows.every((row) => row.thread_id === thread_id && row.role === 'assistant'))
  for (const q of ['hibernating', 'write_file']) t.strictSame(await search({ q }), [], q)
})

t.test('svc search prints results', async (t) => {
  const thread_id = await say('In the terminal', 'an ocelot \u001b[31m and more')
  const env = { SVC_PASSWORD: server.admin.password }
  const svc = (...args: string[]) =>
    runCommand(server.home, ['search', ...args, '--url', server.url, '--username', server.admin.username], {
      env,
    })
  const { code, stdout, stderr } = await svc('an', 'ocelot')
  t.match({ code, stderr }, { code: 0, stderr: '' })
  t.match(
    stdout,
    new RegExp(
      `^1\\. In the terminal  assistant  \\d{4}-\\d\\d-\\d\\d  ${thread_id}\n   an ocelot {1,2}and more\n$`,
    ),
  )
  t.match(JSON.parse((await svc('ocelot', '--json')).stdout), [{ thread_id, message_id: /^msg_/ }])
  t.match(await svc('snow-leopard'), { code: 0, stdout: 'Nothing was found.\n' })
})
