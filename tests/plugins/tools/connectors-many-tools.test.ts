import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
mcp.page = 1000
const read = { annotations: { readOnlyHint: true } }
const fill = Array.from({ length: 290 }, (_, index) => fakeTool(`filler${index}`, read))
mcp.tools = [
  ...fill,
  fakeTool('listInvoices', { ...read, description: 'Returns the open bills of a customer.' }),
  fakeTool('send_invoice', { description: 'Sends an invoice by e-mail.' }),
  fakeTool('secret_invoice', { ...read, description: 'Reads a secret invoice.' }),
  fakeTool('天气', { ...read, description: '查询城市的天气预报' }),
  fakeTool('mixed', { ...read, description: '在GitHub仓库中搜索代码' }),
  fakeTool('japanese', { ...read, description: 'ファイルを検索して一覧を返します' }),
  fakeTool('korean', { ...read, description: '파일을 검색합니다' }),
  fakeTool('accents', { ...read, description: 'Éléments archivés' }),
  fakeTool('getRepository', { ...read, description: 'Copying of code.' }),
  fakeTool('hindi', { ...read, description: 'ग्राहक की खोज' }),
]
const chat = await startChat(t, { config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake, agent_id } = chat
const socket = await chat.connect()
const { id } = await server.call('POST', '/connectors', {
  name: 'big',
  kind: 'mcp',
  config: { url: mcp.url },
})
const give = (tools: object) =>
  server.call('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id, tools }] })
await give({ secret_invoice: { enabled: false } })

const toolsIn = (index: number) => fake.requests.at(index)!.body.tools!.map((tool) => tool.function)
const namesIn = (index: number) => toolsIn(index).map(({ name }) => name)
const find = (query: string) => ({ toolCalls: [{ id: 'call_f', name: 'find_tools', arguments: { query } }] })
const resultsIn = (frames: { type: string; output?: string }[]) =>
  frames.filter(({ type }) => type === 'tool_result').map(({ output }) => output)

t.test('A model receives 128 tools at most, and finds the others', async (t) => {
  fake.next(
    find('open invoices'),
    { toolCalls: [{ name: 'big__listInvoices', arguments: {} }] },
    { text: 'ok' },
  )
  const { frames, end } = await socket.ask({ text: 'Which bills are open?' })
  t.equal(end.type, 'done')
  const initialNames = namesIn(-3)
  t.equal(initialNames.length, 128)
  t.ok(initialNames.includes('big__filler0') && initialNames.includes('ls'))
  t.notOk(initialNames.includes('big__listInvoices'))
  t.equal(initialNames.at(-1), 'find_tools')
  const hidden = 299 - initialNames.filter((name) => name.startsWith('big__')).length
  t.match(toolsIn(-3).at(-1)!.description, `${hidden} of them are not listed here`)

  const [output, done] = resultsIn(frames)
  t.match(output, /^- big__listInvoices: Returns the open bills of a customer\.\n- big__send_invoice: /)
  t.notMatch(output, /secret/, 'a tool that is off is not found')
  t.equal(done, 'listInvoices is done')
  const after = namesIn(-2)
  t.equal(after.length, 128)
  t.ok(after.includes('big__listInvoices') && after.includes('big__send_invoice'))
  t.strictSame(namesIn(-1), after)
})

t.test(
  'What a search has found is listed again after a pause, and asks for approval as before',
  async (t) => {
    fake.next(
      find('send invoice'),
      { toolCalls: [{ name: 'big__send_invoice', arguments: {} }] },
      { text: 'ok' },
    )
    const { frames } = await socket.ask({ text: 'Send it' }, ({ action_requests }) => {
      t.match(action_requests, [{ name: 'big__send_invoice' }])
      return [{ type: 'approve' }]
    })
    t.equal(resultsIn(frames).at(-1), 'send_invoice is done')
    t.ok(namesIn(-1).includes('big__send_invoice'))
  },
)

t.test('A search that finds nothing says what there is, and any language is found', async (t) => {
  fake.next(find('zebra'), find('天气'), { text: 'ok' })
  const { frames } = await socket.ask({ text: 'Go' })
  t.match(resultsIn(frames), ['No tool matches. There are tools of: big.', /查询城市的天气预报/])
})

/** Queries, and the tool that each finds first. */
const queries: [string, string][] = [
  ['仓库', 'mixed'],
  ['github', 'mixed'],
  ['搜索仓库代码', 'mixed'],
  ['ファイル', 'japanese'],
  ['検索', 'japanese'],
  ['파일', 'korean'],
  ['검색', 'korean'],
  ['elements', 'accents'],
  ['archive', 'accents'],
  ['ＡＲＣＨＩＶＥ', 'accents'],
  ['repositories', 'getRepository'],
  ['copy', 'getRepository'],
  ['copies', 'getRepository'],
  ['खोज', 'hindi'],
]

t.test('A search finds words of other forms, and of languages without spaces', async (t) => {
  for (const [query, name] of queries) {
    fake.next(find(query), { text: 'ok' })
    const { frames } = await socket.ask({ text: 'Go' })
    t.ok(resultsIn(frames)[0]!.startsWith(`- big__${name}: `), `${query}: ${resultsIn(frames)[0]}`)
  }
})

t.test('Few tools are listed without a search', async (t) => {
  await give(Object.fromEntries(fill.slice(0, 200).map(({ name }) => [name, { enabled: false }])))
  fake.next({ text: 'ok' })
  await socket.ask({ text: 'Go' })
  t.notOk(namesIn(-1).includes('find_tools'))
  t.ok(namesIn(-1).includes('big__listInvoices'))
})

t.test('Tools of connectors with the same name all have names of their own', async (t) => {
  const twin = (token?: string, more: object = {}) =>
    server.request('POST', '/connectors', {
      body: { name: 'twin', kind: 'mcp', config: { url: mcp.url }, ...more },
      token,
    })
  mcp.tools = [fakeTool('look', read)]
  const ann = await server.createUser({ username: 'ann', permissions: ['connectors'] })
  const ofGuest = await twin(ann.token)
  const ofOwner = await twin()
  const ofServer = await twin(undefined, { scope: 'global' })
  t.strictSame([ofGuest.status, ofOwner.status, ofServer.status], [201, 201, 201])
  await server.call('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id: ofOwner.body.id }] })
  await server.call('PATCH', `/agents/${agent_id}`, { is_shared: true })
  const guest = await chat.connect({ token: ann.token })
  fake.next({ text: 'ok' })
  await guest.ask({ text: 'Go', connector_ids: [ofGuest.body.id, ofServer.body.id] })
  const names = namesIn(-1).filter((name) => name.startsWith('twin__'))
  t.strictSame(names, ['twin__look', 'twin__look_2', 'twin__look_3'])
})
