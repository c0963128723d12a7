import type { LocalizedText } from '../../../kernel/locale.ts'
import { PERSONA_CODES } from '../../../plugin-api/index.ts'
import type { Profile } from '../../../plugins/agents/personas/index.ts'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { probePlugin, setProbe } from './agents-probe.ts'

const chat = await startChat(t, { plugins: { probe: probePlugin } })
const { agent_id, fake, server } = chat
const path = `/agents/${agent_id}`
const ann = await server.createUser({ username: 'ann' })
t.afterEach(() => setProbe({}))

const profileOf = (code: string) => server.request('GET', `/mbti/codes/${code}`, { token: ann.token })
const apply = (body: object, token?: string, id = agent_id) =>
  server.request('PUT', `/agents/${id}/mbti`, { body, token })
const readAgent = async () => (await server.request('GET', path)).body

/** Counts the words of a prompt. */
const countWords = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length

/** Lists every text of a profile with its path. */
function textsOf(part: object, path: string): { path: string; text: LocalizedText }[] {
  if ('en' in part) return [{ path, text: part as LocalizedText }]
  return Object.entries(part).flatMap(([key, child]) =>
    typeof child === 'object' ? textsOf(child, `${path}/${key}`) : [],
  )
}

const profiles: Profile[] = []
/** The profiles whose prompts the short tier looks at. */
const SOME = ['ENFP', 'ISTJ', '_default']
for (const code of PERSONA_CODES) profiles.push((await profileOf(code)).body)

t.test('The list holds the sixteen types and the profile without a type, in their order', async (t) => {
  const { status, body } = await server.request('GET', '/mbti/codes', { token: ann.token })
  t.equal(status, 200)
  t.strictSame(
    body.map(({ code }: Profile) => code),
    PERSONA_CODES,
  )
  t.strictSame(
    body,
    profiles.map(({ code, name, nickname, description, color, symbol }) => ({
      code,
      name,
      nickname,
      description,
      color,
      symbol,
    })),
  )
})

t.test('A profile is found by its code in any case', async (t) => {
  for (const [asked, code] of [
    ['intj', 'INTJ'],
    ['EsFp', 'ESFP'],
    ['_DEFAULT', '_default'],
    ['_default', '_default'],
  ] as const) {
    const { status, body } = await profileOf(asked)
    t.equal(status, 200)
    t.strictSame(body, profiles[PERSONA_CODES.indexOf(code)], `${asked} is ${code}`)
  }
  for (const unknown of ['INTX', 'INT', 'INTJ2', 'default', 'constructor', '%C4%B0NTJ'])
    t.match(await profileOf(unknown), { status: 404, body: { error: { code: 'NOT_FOUND' } } }, unknown)
})

t.test('Every profile is complete in both languages', async (t) => {
  for (const { code, summary, descriptors, behavior, description, ...profile } of profiles) {
    for (const { path, text } of textsOf({ ...profile, summary, descriptors, behavior, description }, code)) {
      t.match(text.en, /^[\x20-\x7e]*[a-z][\x20-\x7e]*$/, `${path} is English`)
      t.match(text.zh, /\p{Script=Han}/u, `${path} is Chinese`)
      t.notMatch(text.zh, /[,;:!?]|\.$|\s|[a-z]/i, `${path} has Chinese punctuation and no English`)
    }
    const sentences = ({ en, zh }: LocalizedText) => [
      en.match(/[.!?]/g)?.length,
      zh.match(/[。！？]/g)?.length,
    ]
    t.strictSame(sentences(description), [1, 1], `${code} is described in one sentence`)
    for (const count of sentences(summary)) t.ok(count! >= 2 && count! <= 4, `summary of ${code}`)
    for (const [field, text] of Object.entries(behavior))
      for (const count of sentences(text)) t.ok(count! >= 1 && count! <= 3, `${field} of ${code}`)
    t.ok(descriptors.length >= 4 && descriptors.length <= 6, `traits of ${code}`)
    t.equal([...new Intl.Segmenter().segment(profile.symbol)].length, 1, `${profile.symbol} is one glyph`)
  }
})

t.test('A profile leans to the poles of its code, the one without a type to none', async (t) => {
  for (const { code, dimensions } of profiles) {
    const { ei, sn, tf, jp } = dimensions
    const leanings = [ei, sn, tf, jp] as [pole: string, percent: number][]
    if (code === '_default')
      t.strictSame(
        leanings.map(([, percent]) => percent),
        [50, 50, 50, 50],
      )
    else {
      t.equal(leanings.map(([pole]) => pole).join(''), code)
      t.ok(
        leanings.every(([, percent]) => percent > 50),
        `${code} leans to a pole`,
      )
    }
  }
})

t.test('No two profiles share a text, a colour, a symbol or a shape', async (t) => {
  for (const locale of ['en', 'zh'] as const) {
    const places = new Map<string, string>()
    for (const profile of profiles)
      for (const { path, text } of textsOf(profile, profile.code)) {
        const taken = places.get(text[locale].toLowerCase())
        t.equal(taken, undefined, `${path} in ${locale} is not that of ${taken}`)
        places.set(text[locale].toLowerCase(), path)
      }
    t.equal(places.size, profiles.flatMap((profile) => textsOf(profile, '')).length)
  }
  for (const aspect of ['color', 'symbol', 'dimensions'] as const)
    t.equal(new Set(profiles.map((profile) => JSON.stringify(profile[aspect]))).size, 17, aspect)
})

t.test('Applying a persona changes the agent and reloads it', async (t) => {
  const reasons: string[] = []
  setProbe({ 'agents.stopping': ({ reason }) => reasons.push(reason) })
  for (const [code, applied] of [
    ['entp', 'ENTP'],
    ['Isfj', 'ISFJ'],
    ['_Default', '_default'],
  ]) {
    const { status, body } = await apply({ code })
    t.equal(status, 200)
    t.match(body, { id: agent_id, persona_mbti: applied, state: 'running', is_owner: true })
    t.strictSame(body, await readAgent(), 'the answer is the row of the agent')
  }
  t.strictSame(reasons, ['reload', 'reload', 'reload'])
  t.equal(
    (await apply({ code: 'INTP' }, undefined, 'assistant')).body.persona_mbti,
    'INTP',
    'the agent is also found by its name',
  )
})

t.test('A turn that runs while a persona is applied is stopped', async (t) => {
  const socket = await chat.connect()
  const { hold, release } = createHold()
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const sent = socket.say({ text: 'talk' })
  await socket.until(({ content }) => content === 'first ')
  t.match(await apply({ code: 'ISTP' }), { status: 200, body: { state: 'running' } })
  t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'stopped' })
  release()
})

t.test('A stopped agent stays stopped and has the persona when it starts', async (t) => {
  await server.request('POST', `${path}/stop`)
  t.match(await apply({ code: 'ESTJ' }), { status: 200, body: { state: 'stopped', persona_mbti: 'ESTJ' } })
  await server.request('POST', `${path}/start`)
  t.match(await readAgent(), { state: 'running', persona_mbti: 'ESTJ' })
})

t.test('Only owners and administrators apply a persona', async (t) => {
  await apply({ code: 'ISTJ' })
  const agent = await readAgent()
  t.match(await apply({ code: 'ENFP' }, ann.token), {
    status: 404,
    body: { error: { code: 'AGENT_NOT_FOUND' } },
  })
  await server.request('PATCH', path, { body: { is_shared: true } })
  t.match(await apply({ code: 'ENFP' }, ann.token), { status: 403, body: { error: { code: 'FORBIDDEN' } } })
  t.match(await readAgent(), { persona_mbti: 'ISTJ', state: agent.state })

  const { body: own } = await server.request('POST', '/agents', { token: ann.token, body: { name: 'hers' } })
  const { status, body } = await apply({ code: 'ENFP' }, server.admin.token, own.id)
  t.equal(status, 200)
  t.match(body, { persona_mbti: 'ENFP', is_owner: false, owner: 'ann' })
})

t.test('An unknown code is refused and changes nothing', async (t) => {
  const agent = await readAgent()
  for (const code of ['INTX', 'INT', 'INTJJ', ' INTJ', 'INTJ\n', 'default', '', 'ıNTJ', 'EſTJ', null, 7]) {
    const { status, body } = await apply({ code })
    t.match({ status, body }, { status: 422, body: { error: { code: 'VALIDATION_FAILED' } } }, `${code}`)
    t.equal(body.error.details.issues[0].path, '/code')
    t.match(body.error.details.issues[0].message, /INTJ.*_default/, 'the message lists the codes')
  }
  t.equal((await apply({})).status, 422)
  t.equal((await apply({ code: 'INTJ', language: 'zh' })).status, 422)
  t.strictSame(await readAgent(), agent)
})

t.test('While another operation is in progress, the persona does not change', async (t) => {
  await apply({ code: 'ISFP' })
  const { hold, release } = createHold()
  const reached = new Promise<void>((resolve) => {
    setProbe({
      'agents.stopping': async () => {
        resolve()
        await hold
      },
    })
  })
  const reload = server.request('POST', `${path}/reload`)
  await reached
  const { updated_at } = await readAgent()
  t.match(await apply({ code: 'ENTJ' }), {
    status: 409,
    body: { error: { code: 'AGENT_BUSY', details: { operation: 'reload' } } },
  })
  release()
  t.equal((await reload).status, 204)
  t.match(await readAgent(), { persona_mbti: 'ISFP', updated_at, state: 'running' })
})

t.test('The system prompt has the persona before the text of the owner', async (t) => {
  const socket = await chat.connect()
  const own = 'Speak like a pirate.'
  const promptOf = async (changes: object) => {
    const { status } = await server.request('PATCH', path, { body: changes })
    t.equal(status, 200)
    const { thread_id } = await socket.ask({ text: 'hello' })
    const first = fake.requests.at(-1)!.body.messages[0]!
    t.equal(first.role, 'system')
    await socket.ask({ thread_id, text: 'again' })
    const again = fake.requests.at(-1)!.body.messages[0]!.content
    t.equal(again, first.content, 'it is the same from turn to turn')
    // The agent's resources follow, which this test does not check.
    const [beginning, ...more] = (first.content as string).split(own)
    t.equal(more.length, 1)
    return beginning! + own
  }
  const bare = await promptOf({ persona_mbti: null, system_prompt: own })
  t.ok(bare.endsWith(`\n\n${own}`))
  t.notMatch(bare, 'Your character')
  const intro = bare.slice(0, -own.length)

  const used = isLong ? profiles : profiles.filter(({ code }) => SOME.includes(code))
  const seen = new Set<string>()
  for (const { code, name, descriptors, behavior } of used) {
    const prompt = await promptOf({ persona_mbti: code })
    t.ok(prompt.startsWith(intro) && prompt.endsWith(`\n\n${own}`), `${code} comes before the owner's prompt`)
    const persona = prompt.slice(intro.length, -own.length).trim()
    t.ok(persona.startsWith(`Your character is the ${name.en}${code === '_default' ? ':' : ` (${code}):`}`))
    for (const { en } of [...descriptors, ...Object.values(behavior)]) t.ok(persona.includes(en), en)
    const words = countWords(persona)
    t.ok(words >= 120 && words <= 200, `the prompt of ${code} has ${words} words`)
    t.match(persona, /every language/)
    seen.add(persona)
  }
  t.equal(seen.size, amount({ short: 3, long: 17 }))

  t.equal(await promptOf({ persona_mbti: null }), bare, 'without a persona nothing of it is left')
  await server.request('PATCH', path, { body: { system_prompt: null } })
  await apply({ code: 'infj' })
  await socket.ask({ text: 'hello' })
  t.match(
    fake.requests.at(-1)!.body.messages[0]!.content,
    /Advocate \(INFJ\)/,
    'a persona that was applied is used too',
  )
})

t.test('Applying a persona is audited', async (t) => {
  await apply({ code: 'intp' })
  const { body } = await server.request('GET', '/admin/audit-log?action=agent.persona_set&limit=1')
  t.match(body, [{ actor: 'admin', target: agent_id, payload: { code: 'intp' } }])
})
