import { chooseMethods, describeLogin } from '../../../plugins/tools/acp/login.ts'
import { parseMessage } from '../../../plugins/tools/acp/loose-message.ts'
import t from '../../run/file-test.ts'
import { startAcp } from './acp-calls.ts'

const chat = await startAcp(t)
const { callOnce, fake, setRunner } = chat
fake.script(() => ({ text: 'ok' }))

/** Runs a task with an environment; the runner accepts one method if it offers some. */
const run = async (env: Record<string, string>, methods?: unknown, accepted = '', lines = ['chosen']) => {
  const offered = methods === undefined ? {} : { ACP_METHODS: JSON.stringify(methods) }
  await setRunner({ env: { ACP_LOGIN: 'yes', ACP_ACCEPTS: accepted, ...offered, ...env } })
  const { output, is_error } = await callOnce(lines)
  return is_error ? `! ${output}` : output
}

const codex = [
  { id: 'chatgpt', name: 'Login with ChatGPT', description: 'Use your ChatGPT login' },
  { id: 'codex-api-key', name: 'Use CODEX_API_KEY', description: 'Requires the CODEX_API_KEY variable' },
  { id: 'openai-api-key', name: 'Use OPENAI_API_KEY', description: 'Requires the OPENAI_API_KEY variable' },
]
const gemini = [
  { id: 'oauth-personal', name: 'Log in with Google', description: null },
  { id: 'gemini-api-key', name: 'Gemini API key', _meta: { 'api-key': { provider: 'google' } } },
  { id: 'vertex-ai', name: 'Vertex AI' },
]
const key = 'a-key-of-mine'

t.test('Methods are chosen by the keys of the environment', (t) => {
  const cases: [string, string[], unknown, string][] = [
    [
      'a variable in the name',
      ['RUNNER_API_KEY'],
      [{ id: 'api-key', name: 'Use RUNNER_API_KEY' }],
      'api-key',
    ],
    ['the variable that is set', ['OPENAI_API_KEY'], codex, 'openai-api-key codex-api-key'],
    ['both variables', ['OPENAI_API_KEY', 'CODEX_API_KEY'], codex, 'codex-api-key openai-api-key'],
    ['a variable by the id', ['GEMINI_API_KEY'], gemini, 'gemini-api-key'],
    ['a key of another name', ['GOOGLE_API_KEY'], gemini, 'gemini-api-key'],
    ['an id that is no more than a key', ['SOME_API_KEY'], [{ id: 'api_key' }], 'api_key'],
    [
      'listed variables',
      ['MINE_TOKEN'],
      [
        { id: 'other', type: 'env_var', vars: [{ name: 'OTHER_TOKEN' }] },
        { id: 'mine', type: 'env_var', vars: [{ name: 'MINE_TOKEN' }, { name: 'MINE_URL', optional: true }] },
      ],
      'mine',
    ],
    [
      'half of the variables',
      ['A_KEY'],
      [{ id: 'x', type: 'env_var', vars: [{ name: 'A_KEY' }, { name: 'B' }] }],
      '',
    ],
    ['a variable of an older draft', ['MINE_KEY'], [{ id: 'x', type: 'env_var', varName: 'MINE_KEY' }], 'x'],
    [
      'the only login of its vendor',
      ['CURSOR_API_KEY'],
      [{ id: 'cursor_login', name: 'Cursor' }],
      'cursor_login',
    ],
    ['odd methods among others', ['GEMINI_API_KEY'], [null, 7, {}, { id: 8 }, ...gemini], 'gemini-api-key'],
    ['no key', ['HTTP_PROXY'], codex, ''],
    ['a login on a terminal', ['A_API_KEY'], [{ id: 'a-api-key', type: 'terminal', args: [] }], ''],
    ['no list', ['A_API_KEY'], { id: 'a-api-key' }, ''],
  ]
  for (const [name, variables, methods, chosen] of cases) {
    const env = Object.fromEntries(variables.map((variable) => [variable, key]))
    t.equal(chooseMethods(methods, { command: 'runner', args: [], env }).join(' '), chosen, name)
  }
  t.strictSame(chooseMethods(codex, { command: 'runner', args: [], env: { OPENAI_API_KEY: '' } }), [])
  t.end()
})

t.test('A runner that asks for it is authenticated, by the next method if it refuses one', async (t) => {
  const keys = { CODEX_API_KEY: key, OPENAI_API_KEY: key, ACP_LOGIN: 'words' }
  t.equal(await run(keys, codex, 'openai-api-key'), '[codex-api-key openai-api-key]')
})

t.test('A runner that asks for it within a task is authenticated, unless it has acted', async (t) => {
  const late = { OPENAI_API_KEY: key, ACP_LOGIN: 'late' }
  const runLate = (lines: string[], accepted = 'openai-api-key') => run(late, codex, accepted, lines)
  t.equal(await runLate(['private', 'chosen']), '[openai-api-key]')
  const needsLogin = '! the external agent "scripted" needs a login first: Authentication required'
  t.match(await runLate(['tool edit', 'private', 'chosen']), needsLogin)
  t.match(await runLate(['private', 'chosen'], ''), needsLogin)
  const busy = await runLate(['busy'])
  t.match(busy, 'The model is overloaded')
  t.notMatch(busy, 'login')
})

t.test('A runner that needs no login is not authenticated', async (t) => {
  const offered = { ACP_METHODS: JSON.stringify(codex), OPENAI_API_KEY: key }
  await setRunner({ env: offered })
  t.equal((await callOnce(['chosen'])).output, '[]')
})

t.test('Without an accepted key, the message says what to do', async (t) => {
  const runner = { command: 'runner', args: ['--acp'], env: {} }
  const cases: [unknown, string | undefined, string?][] = [
    [
      [{ id: 'k', type: 'env_var', vars: [{ name: 'A' }, { name: 'B' }], link: 'https://keys.example' }],
      'set A, B in its environment (from https://keys.example).',
      '请在其环境变量中设置 A, B（获取地址：https://keys.example）。',
    ],
    [
      [{ id: 'l', type: 'terminal', name: 'Log in', args: ['--login'] }],
      'run `runner --acp --login` in its home folder on the server.',
      '请在服务器上它的主目录中运行 `runner --acp --login`。',
    ],
    [
      [{ id: 'l', _meta: { 'terminal-auth': { command: 'tool', args: ['login', null] } } }],
      'run `tool login` in its home folder on the server.',
    ],
    [[{ id: 'l', command: 'tool', args: null }], 'run `tool` in its home folder on the server.'],
    [
      [
        { id: 'chatgpt', name: 'ChatGPT' },
        { id: 'k', type: 'env_var', vars: [{ name: 'A' }] },
      ],
      'sign in with “ChatGPT · chatgpt” in its home folder on the server, or set A in its environment.',
      '请在服务器上它的主目录中通过“ChatGPT · chatgpt”登录，或请在其环境变量中设置 A。',
    ],
    [[], undefined],
    [null, undefined],
    [{}, undefined],
  ]
  for (const [methods, en, zh] of cases) {
    t.equal(describeLogin(methods, runner, 'en'), en)
    if (zh !== undefined) t.equal(describeLogin(methods, runner, 'zh'), zh)
  }
  const needs = '! the external agent "scripted" needs a login first'
  t.match(
    await run({ OPENAI_API_KEY: key }, codex),
    `${needs}: Authentication required\nsign in with “Login with ChatGPT`,
  )
  t.equal(
    await run({ OPENAI_API_KEY: key }, null),
    `${needs}, in its environment or in its home folder: Authentication required`,
  )
})

t.test('Permissions that are asked for in other forms are answered', async (t) => {
  await setRunner({})
  const call = { toolCallId: 'a', title: 'Do it' }
  const allow = { optionId: 'yes', name: 'Yes', kind: 'allow_once' }
  const cases: [object, string][] = [
    [{ toolCall: call, options: [allow] }, 'yes'],
    [{ toolCall: { ...call, title: null, kind: null, locations: null }, options: [allow] }, 'yes'],
    [{ toolCall: null, options: [{ ...allow, name: null, _meta: null }] }, 'yes'],
    [{ toolCall: { ...call, toolCallId: 7 }, options: [{ ...allow, optionId: 1 }] }, '1'],
    [{ toolCall: call, options: [{ optionId: 'allow', name: 'Allow', kind: 'approve' }] }, 'allow'],
    [
      {
        toolCall: call,
        options: [
          { optionId: 'no', name: 'Decline' },
          { optionId: 'ok', name: 'Proceed' },
        ],
      },
      'ok',
    ],
    [{ toolCall: call, options: [null, { ...allow, optionId: null }] }, 'cancelled'],
    [{ toolCall: call, options: null }, 'cancelled'],
  ]
  const { output } = await callOnce(cases.map(([request]) => `permission-loose ${JSON.stringify(request)}`))
  t.equal(output, cases.map(([, chosen]) => `[${chosen}]`).join(''))
})

t.test('Messages may have null for what is missing, and their ids as texts', (t) => {
  const parse = (message: unknown) => parseMessage(Buffer.from(JSON.stringify(message)), new Set([0, 1, 'a']))
  const answer = { jsonrpc: '2.0', id: 1, result: {} }
  t.strictSame(parse(answer), answer)
  t.strictSame(parse({ ...answer, error: null, method: null, params: null }), answer)
  t.strictSame(parse({ ...answer, id: '1' }), answer)
  t.strictSame(parse({ ...answer, id: 'a' }), { ...answer, id: 'a' })
  t.strictSame(parse({ id: 1, result: {} }), answer, 'without a version')
  t.strictSame(parse({ jsonrpc: '2.0', id: 1 }), { ...answer, result: null })
  const error = { code: 1, message: 'no' }
  t.strictSame(parse({ ...answer, result: null, error }), { jsonrpc: '2.0', id: 1, error })
  t.strictSame(parse({ jsonrpc: '2.0', id: null, method: 'x', params: null }), {
    jsonrpc: '2.0',
    method: 'x',
    params: undefined,
  })
  t.match(
    parse({
      jsonrpc: '2.0',
      id: 3,
      method: 'fs/read_text_file',
      params: { path: 'a', line: '2', limit: -1 },
    }),
    {
      params: { path: 'a', line: 2, limit: undefined, sessionId: '' },
    },
  )
  for (const odd of [
    { ...answer, id: 2 },
    { ...answer, id: null },
    { ...answer, id: '' },
    { ...answer, id: {} },
  ])
    t.equal(parse(odd), undefined)
  for (const odd of [null, 7, [], 'x', { jsonrpc: '1.0' }, { jsonrpc: '2.0', method: 7 }])
    t.equal(parse(odd), undefined)
  t.throws(() => parseMessage(Buffer.from('['.repeat(100)), new Set()), /too complex/)
  t.end()
})
