import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { readPages } from '../../support/server.ts'

const chat = await startChat(t, { config: { limits: { feedback: 30 } } })
const { agent_id, fake, server } = chat
const { token: ann } = await server.createUser({ username: 'ann' })
const { token: reader } = await server.createUser({ username: 'reader', permissions: ['feedback'] })

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } })

/** Has a question answered, and returns the rated of the answer. */
async function ask(text: string, answer: string, thread_id?: string) {
  const socket = await chat.connect()
  fake.next({ text: answer })
  const seen = await socket.ask({ text, ...(thread_id && { thread_id }) })
  const { messages } = await chat.history(seen.thread_id)
  socket.close()
  return { thread_id: seen.thread_id, message_id: messages.at(-1)._id ?? messages.at(-1).id, messages }
}

const pathOf = ({ thread_id, message_id }: { thread_id: string; message_id: string }) =>
  `/agents/${agent_id}/threads/${thread_id}/messages/${message_id}/feedback`
const vote = (rated: { thread_id: string; message_id: string }, body: object, token = server.admin.token) =>
  server.request('PUT', pathOf(rated), { body, token })
const own = (thread_id: string, token = server.admin.token) =>
  server.request('GET', `/agents/${agent_id}/threads/${thread_id}/feedback`, { token })
const all = async (query = '') =>
  (await server.request('GET', `/admin/feedback${query}`, { token: reader })).body

t.test('A vote is given, read, replaced and deleted', async (t) => {
  const rated = await ask('What is two and two?', 'Two and two is *five*.')
  const { status, body } = await vote(rated, {
    value: -1,
    reasons: ['wrong', 'style'],
    comment: ' It is four. ',
  })
  t.equal(status, 200, JSON.stringify(body))
  const { created_at, updated_at } = body
  t.strictSame(body, {
    message_id: rated.message_id,
    value: -1,
    reasons: ['wrong', 'style'],
    comment: 'It is four.',
    created_at,
    updated_at,
  })
  t.strictSame((await own(rated.thread_id)).body, [body])
  const [row] = await all()
  t.match(row, {
    username: 'admin',
    agent_id,
    agent_name: 'assistant',
    model: 'fake:m',
    value: -1,
    reasons: ['wrong', 'style'],
    comment: 'It is four.',
    question: 'What is two and two?',
    answer: 'Two and two is *five*.',
    created_at,
  })
  t.match(await vote(rated, { value: 1 }), { status: 200, body: { value: 1, reasons: [], comment: null } })
  t.equal((await all()).length, 1)
  t.equal((await all())[0].id, row.id)
  for (const _ of [1, 2])
    t.equal((await server.request('DELETE', pathOf(rated))).status, 204, 'deleting twice is the same')
  t.strictSame((await own(rated.thread_id)).body, [])
  t.strictSame(await all(), [])
  const { body: rows } = await server.request('GET', '/admin/audit-log?action=feedback.rate&limit=1')
  t.match(rows, [{ actor: 'admin', target: `${agent_id}/${rated.thread_id}/${rated.message_id}` }])
})

t.test('Only complete answers of one’s own conversations are rated', async (t) => {
  const rated = await ask('Hello', 'Hi.')
  t.match(await vote(rated, { value: 1 }, ann), refusal(404, 'AGENT_NOT_FOUND'))
  await server.call('PATCH', `/agents/${agent_id}`, { is_shared: true })
  t.match(await vote(rated, { value: 1 }, ann), refusal(404, 'THREAD_NOT_FOUND'))
  t.match(await own(rated.thread_id, ann), refusal(404, 'THREAD_NOT_FOUND'))
  t.match(await server.request('DELETE', pathOf(rated), { token: ann }), refusal(404, 'THREAD_NOT_FOUND'))
  await server.call('PATCH', `/agents/${agent_id}`, { is_shared: false })
  const question = { ...rated, message_id: rated.messages[0].id }
  t.match(await vote(question, { value: 1 }), refusal(404, 'MESSAGE_NOT_FOUND'))
  t.match(await vote({ ...rated, message_id: 'msg_none' }, { value: 1 }), refusal(404, 'MESSAGE_NOT_FOUND'))
  const other = await ask('Another', 'Yes.')
  t.match(
    await vote({ ...rated, message_id: other.message_id }, { value: 1 }),
    refusal(404, 'MESSAGE_NOT_FOUND'),
    'an answer of another thread',
  )
  const socket = await chat.connect()
  fake.next({ status: 400, error: 'no' } as never)
  const failed = await socket.ask({ text: 'Fail, please' })
  const { messages } = await chat.history(failed.thread_id)
  const answer = messages.at(-1)
  if (answer.role === 'assistant')
    t.match(
      await vote({ thread_id: failed.thread_id, message_id: answer.id }, { value: 1 }),
      refusal(409, 'ANSWER_INCOMPLETE'),
    )
})

t.test('Bad votes are refused', async (t) => {
  const rated = await ask('Hello', 'Hi.')
  const bad: [string, object][] = [
    ['/value', { value: 0 }],
    ['/value', { value: '1' }],
    ['/value', {}],
    ['/reasons/0', { value: -1, reasons: ['because'] }],
    ['/reasons', { value: -1, reasons: ['wrong', 'wrong'] }],
    [
      '/reasons',
      { value: -1, reasons: ['wrong', 'incomplete', 'off_topic', 'outdated', 'unclear', 'too_long'] },
    ],
    ['/comment', { value: -1, comment: 'x'.repeat(2001) }],
    ['/more', { value: -1, more: true }],
  ]
  for (const [path, body] of bad) {
    const { status, body: reply } = await vote(rated, body)
    t.equal(status, 422, JSON.stringify(body))
    t.equal(reply.error.details.issues[0].path, path)
  }
  t.strictSame((await own(rated.thread_id)).body, [])
})

t.test('The copies outlive changes of the conversation, and its deletion', async (t) => {
  const rated = await ask('First question', 'First answer')
  await vote(rated, { value: -1 })
  const socket = await chat.connect()
  fake.next({ text: 'Second answer' })
  socket.send({ type: 'regenerate', thread_id: rated.thread_id, client_message_id: 'again' })
  await socket.seeTurn('again')
  t.match((await own(rated.thread_id)).body, [{ message_id: rated.message_id }])
  const { messages } = await chat.history(rated.thread_id)
  t.match(
    await vote({ ...rated, message_id: messages.at(-1).id }, { value: 1 }),
    { status: 200 },
    'the new version has a vote of its own',
  )
  t.match(await vote(rated, { value: -1, comment: 'still' }), { status: 200 }, 'a version that is not shown')
  t.equal((await chat.threads('DELETE', `/${rated.thread_id}`)).status, 204)
  t.match(await own(rated.thread_id), refusal(404, 'THREAD_NOT_FOUND'))
  const rows = await all()
  t.match(
    rows
      .map(({ question, answer }: Record<string, string>) => `${question}: ${answer}`)
      .slice(0, 2)
      .sort(),
    ['First question: First answer', 'First question: Second answer'],
  )
  t.equal((await server.request('DELETE', pathOf(rated))).status, 204, 'it can still be taken back')
  t.match(await vote(rated, { value: 1 }), refusal(404, 'THREAD_NOT_FOUND'))
})

t.test('Administrators filter, page and download votes', async (t) => {
  await server.db.collection('feedback').deleteMany({})
  const rated = await ask('=SUM(A1), "quoted"', 'Line one\nline two')
  await vote(rated, { value: -1, reasons: ['wrong'], comment: '+1' })
  const good = await ask('Good?', 'Good.')
  await vote(good, { value: 1 })
  t.match(await server.request('GET', '/admin/feedback', { token: ann }), refusal(403, 'FORBIDDEN'))
  const answers = (rows: { answer: string }[]) => rows.map(({ answer }) => answer)
  t.strictSame(answers(await all('?value=1')), ['Good.'])
  t.strictSame(answers(await all('?value=-1')), ['Line one\nline two'])
  t.strictSame(answers(await all('?agent_id=agt_none')), [])
  t.equal((await all(`?agent_id=${agent_id}`)).length, 2)
  t.equal((await all('?from=1&to=2')).length, 0)
  t.equal((await all(`?from=${Math.floor(Date.now() / 1000) - 600}&to=4000000000`)).length, 2)
  const pages = await readPages(server, '/admin/feedback?limit=1', { token: reader })
  t.strictSame(
    pages.flatMap(({ body }) => answers(body)),
    answers(await all()),
  )
  for (const query of ['value=2', 'format=xml', 'from=-1', 'cursor=elsewhere'])
    t.match(
      await server.request('GET', `/admin/feedback?${query}`, { token: reader }),
      refusal(422, 'VALIDATION_FAILED'),
    )

  const download = async (format: string) => {
    const reply = await fetch(`${server.url}/api/admin/feedback?format=${format}&value=-1`, {
      headers: { authorization: `Bearer ${reader}` },
    })
    return { headers: reply.headers, text: await reply.text() }
  }
  const csv = await download('csv')
  t.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  t.equal(csv.headers.get('content-disposition'), 'attachment; filename="feedback.csv"')
  const [head, line] = csv.text.replace(/^\ufeff/, '').split('\r\n')
  t.equal(head, 'id,time,username,agent_id,agent_name,model,value,reasons,comment,question,answer')
  t.match(line, /,admin,\w+,assistant,fake:m,-1,wrong,'\+1,"'=SUM\(A1\), ""quoted""","Line one\nline two"$/)
  const lines = await download('jsonl')
  t.equal(lines.headers.get('content-type'), 'application/x-ndjson')
  t.match(
    lines.text
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text)),
    [{ value: -1, comment: '+1', answer: 'Line one\nline two' }],
  )
})

t.test('An account has a bounded number of votes, which go with it', async (t) => {
  const { token } = await server.createUser({ username: 'bob' })
  const user = await server.db.collection('users').findOne({ username: 'bob' })
  const { body: mine } = await server.request('GET', '/agents/assistant', { token })
  const { insertedCount } = await server.db.collection<{ _id: string }>('feedback').insertMany(
    Array.from({ length: 30 }, (_, n) => ({
      ...{
        _id: `fbk_bob${n}`,
        user_id: user?._id,
        agent_id: mine.id,
        thread_id: 'thr_x',
        message_id: `msg_bob${n}`,
      },
      ...{ username: 'bob', agent_name: 'a', model: null, value: 1, reasons: [], comment: null },
      ...{ question: 'q', answer: 'a', created_at: n, updated_at: n },
    })),
  )
  t.equal(insertedCount, 30)
  const socket = await chat.connect({ token, agent_id: mine.id })
  const seen = await socket.ask({ text: 'Hello' })
  const { messages } = await chat.history(seen.thread_id, '', { token, agent_id: mine.id })
  const path = `/agents/${mine.id}/threads/${seen.thread_id}/messages/${messages.at(-1).id}/feedback`
  const { status, body } = await server.request('PUT', path, { token, body: { value: 1 } })
  t.match(
    { status, body },
    { status: 409, body: { error: { code: 'LIMIT_REACHED', details: { limit: 'feedback' } } } },
  )
  t.equal((await server.request('DELETE', '/users/bob')).status, 204)
  t.equal(await server.db.collection('feedback').countDocuments({ username: 'bob' }), 0)
})
