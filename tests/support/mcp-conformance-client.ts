// `node mcp-conformance-client.js SERVER_URL`: lets an agent use every tool of a server of the Model Context Protocol as
// its user would: makes the connector, signs in, lets a turn call the tools, and answers the server's questions.
import { createClient, type Decision } from '../../client/index.ts'

const url = process.argv[2]!
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const { SVC_URL: baseUrl = '', SVC_TOKEN: token = '' } = process.env
const client = createClient({ baseUrl, token })

/** The client that a person would have registered by hand. */
function enteredClient(): { client_id?: string; client_secret?: string } {
  // A client that is described by a document has the address of the document as its id.
  if (scenario === 'auth/basic-cimd')
    return { client_id: 'https://conformance-test.local/client-metadata.json' }
  const { client_id, client_secret } = JSON.parse(context)
  return { client_id, client_secret }
}

const bodyOf = <Body>({ data, error }: { data?: Body; error?: unknown }): Body => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

/** Opens the page on which a person signs in, which sends the browser back at once, and follows it. */
async function visit(authorization_url: string): Promise<void> {
  const page = await fetch(authorization_url, { redirect: 'manual' })
  const back = new URL(page.headers.get('location')!)
  back.searchParams.set('confirm', 'yes')
  const done = await fetch(`${baseUrl}${back.pathname}${back.search}`, { redirect: 'manual' })
  const location = done.headers.get('location')
  if (location?.includes('connector_error')) throw new Error(`The sign-in ended at ${location}.`)
}

const name = `server-${process.pid}`
const config = { url, ...enteredClient() }
const created = bodyOf(await client.POST('/connectors', { body: { name, kind: 'mcp', config } }))
const path = { id: created.id }
if (created.status === 'unauthorized')
  await visit(
    bodyOf(await client.POST('/connectors/{id}/authorize', { params: { path }, body: {} })).authorization_url,
  )
const connector = bodyOf(await client.GET('/connectors/{id}', { params: { path } }))
if (connector.status !== 'ready') throw new Error(`The connector is ${connector.status}: ${connector.error}`)

const [agent] = bodyOf(await client.GET('/agents'))
const chat = client.chat(agent!.id)
for await (const frame of chat.turn('Use the tools.', { connector_ids: [connector.id] })) {
  if (frame.type === 'tool_result' && frame.is_error) throw new Error(frame.output)
  if (frame.type !== 'hitl_required') continue
  const decisions: Decision[] = []
  for (const [index, { authorization_required }] of frame.action_requests.entries()) {
    const canApprove = frame.review_configs[index]!.allowed_decisions.includes('approve')
    if (authorization_required) await visit(authorization_required.authorization_url!)
    else decisions.push(canApprove ? { type: 'approve' } : { type: 'respond', message: '{}' })
  }
  if (decisions.length > 0) await chat.resume(frame, decisions)
}
chat.close()
