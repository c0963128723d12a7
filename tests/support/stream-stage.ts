import type { JSONSchema } from '#kernel'
import { definePlugin } from '../../plugin-api/index.ts'
import type { Test } from '../run/file-test.ts'
import { type ChatSocket, chatUrl, connectChat } from './chat.ts'
import type { ClientPages } from './chat-client.ts'
import { type FixtureUpstream, type ModelRequest, startUpstreams } from './fixture-upstream.ts'
import { startServer, type TestServer } from './server.ts'
import type { TestFrame } from './socket.ts'
import type { StreamFixture } from './stream-fixtures.ts'

/** A turn as its client and its upstream saw it. */
export interface PlayedTurn {
  frames: TestFrame[]
  end: TestFrame
  requests: readonly ModelRequest[]
}

/** A fixture that was played through a server. */
export interface PlayedFixture {
  fixture: StreamFixture
  agent_id: string
  thread_id: string
  turns: PlayedTurn[]
  /** A plain turn on the same thread afterwards. */
  next: PlayedTurn | undefined
  history: ClientPages
  /** The events of the ledger. */
  events: TestFrame[]
}

/** A server that plays fixtures. */
export interface StreamStage {
  server: TestServer
  play(fixture: StreamFixture): Promise<PlayedFixture>
}

/** The answer of the plain turn after the turns of a fixture. */
export const NEXT_REPLY = 'hello again'

/** The question of that turn, which identifies its conversation. */
export const nextQuestion = ({ name }: Pick<StreamFixture, 'name'>): string => `And now, ${name}?`

const DEFAULT_MODEL = 'some-model'
const DEFAULT_OPTIONS: Partial<Record<StreamFixture['kind'], object>> = { bedrock: { region: 'us-east-1' } }

/** The file that calls of a fixture may read. */
const FILE = { path: 'a.txt', text: 'the words of the file' }

/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Starts a server and the upstreams of fixtures. */
export async function startStage(t: Test): Promise<StreamStage> {
  /** The schema of the tool `probe`, by agent. */
  const probes = new Map<string, JSONSchema>()
  const probePlugin = definePlugin({
    name: 'probe',
    summary: 'Lends agents a tool whose schema a fixture chooses',
    kernel: 1,
    depends: ['agents'],
    setup(host) {
      host.extend('agents.lent_tools', async ({ agent }) => {
        const input_schema = probes.get(agent._id)
        const tool = {
          name: 'probe',
          label: { en: 'Probe', zh: '探测' },
          description: 'Probes.',
          disableable: true,
          execute: () => 'probed',
        }
        return { tools: input_schema ? [{ ...tool, input_schema }] : [], always: [], never: [] }
      })
    },
  })
  const [server, upstreams] = await Promise.all([
    startServer(t, { given: [probePlugin], config: { plugins: { probe: { required: true } } } }),
    startUpstreams(t),
  ])
  const { call } = server

  const agents = new Map<string, Promise<string>>()
  const createAgent = async ({ tools, input_schema, config }: StreamFixture) => {
    const { id } = await call('POST', '/agents', { name: `agent-${agents.size}`, ...(config && { config }) })
    if (input_schema) probes.set(id, input_schema as JSONSchema)
    if (tools) {
      const { builtin } = await call('GET', `/agents/${id}/tool-settings`)
      const disabled_builtin = builtin
        .filter(({ name, disableable }: TestFrame) => disableable && !tools.includes(name))
        .map(({ name }: TestFrame) => name)
      await call('PUT', `/agents/${id}/tool-settings`, { disabled_builtin })
    }
    await call('PUT', `/agents/${id}/files/content?path=${FILE.path}`, FILE.text)
    return id as string
  }
  /** Fixtures with the same tools share an agent. */
  const agentOf = (fixture: StreamFixture) => {
    const { tools, input_schema, config } = fixture
    const key = JSON.stringify([tools, input_schema && fixture.name, config])
    const agent = agents.get(key) ?? createAgent(fixture)
    agents.set(key, agent)
    return agent
  }

  const upload = async (agent_id: string) => {
    const body = new FormData()
    body.append('file', new Blob([PICTURE], { type: 'image/png' }), 'picture.png')
    const { path, filename, media_type } = await call('POST', `/agents/${agent_id}/upload`, body)
    return { type: 'image', path, filename, media_type }
  }

  let playedCount = 0
  return {
    server,
    async play(fixture) {
      const key = `fx-${playedCount++}`
      const { kind: ownKind, model: ownModel = DEFAULT_MODEL, options, listed, turns, picture } = fixture
      const upstream = upstreams.open(key, fixture)
      const nameOf = (kind: StreamFixture['kind']) => (kind === ownKind ? key : `${key}-${kind}`)
      const modelOf = ({ kind = ownKind, model = ownModel }: StreamFixture['turns'][number]) =>
        `${nameOf(kind)}:${model}`
      for (const kind of new Set([ownKind, ...turns.flatMap(({ kind = [] }) => kind)])) {
        const ofKind = turns.filter((turn) => (turn.kind ?? ownKind) === kind)
        const ids = new Set(ofKind.map(({ model = ownModel }) => model))
        await call('POST', '/admin/providers', {
          name: nameOf(kind),
          kind,
          base_url: upstream.base_url,
          api_key: 'sk-fixture-0123456789',
          options: { ...DEFAULT_OPTIONS[kind], ...(kind === ownKind && options) },
          models: [...ids].map((id) => ({ id, ...listed })),
        })
      }
      const agent_id = await agentOf(fixture)
      const path = `/agents/${agent_id}/chat/hitl/resume`
      const socket = await connectChat(
        t,
        chatUrl(server.url, agent_id, server.admin.token),
        {},
        (thread_id, decisions) => call('POST', path, { thread_id, decisions }),
      )
      const ask = createAsk(socket, upstream)

      let thread_id: string | undefined
      const playedTurns: PlayedTurn[] = []
      for (const [index, turn] of turns.entries()) {
        const { says = 'hello', answers } = turn
        upstream.answer(answers)
        const text = { type: 'text', text: says }
        const content = picture && index === 0 ? [text, await upload(agent_id)] : [text]
        const playedTurn = await ask({ thread_id, content, model: modelOf(turn) })
        thread_id = playedTurn.thread_id
        playedTurns.push(playedTurn)
      }
      let next: PlayedTurn | undefined
      if (fixture.next !== false) {
        upstream.answerPlainly(NEXT_REPLY)
        next = await ask({ thread_id, text: nextQuestion(fixture), model: modelOf(turns.at(-1)!) })
      }
      socket.close()
      const threadPath = `/agents/${agent_id}/threads/${thread_id}`
      const [page, { events }] = await Promise.all([
        call('GET', `${threadPath}/history?limit=200`),
        call('GET', `${threadPath}/trajectory/export?format=json`),
      ])
      return {
        fixture,
        agent_id,
        thread_id: thread_id!,
        turns: playedTurns,
        next,
        history: [page],
        events,
      }
    },
  }
}

/** Returns a function that plays one turn; a pause for approval is answered with consent. */
const createAsk = (socket: ChatSocket, upstream: FixtureUpstream) => async (turn: object) => {
  const firstIndex = upstream.requests.length
  const { thread_id, frames, end } = await socket.ask(turn, ({ action_requests }) =>
    action_requests.map(() => ({ type: 'approve' })),
  )
  return { thread_id, frames, end, requests: upstream.requests.slice(firstIndex) }
}

/** Plays fixtures, several at a time, and returns their promises in the same order. */
export function playAll(
  { play }: StreamStage,
  fixtures: readonly StreamFixture[],
  parallel: number,
): Promise<PlayedFixture>[] {
  const lanes = Array.from({ length: parallel }, () => Promise.resolve() as Promise<unknown>)
  return fixtures.map((fixture, index) => {
    const lane = index % parallel
    const result = lanes[lane]!.then(() => play(fixture))
    lanes[lane] = result.catch(() => undefined)
    // The test that awaits it reports the failure.
    result.catch(() => undefined)
    return result
  })
}
