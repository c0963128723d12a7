import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { createHome } from '../../support/server.ts'

const chat = await startChat(t, { env: { SVC_LIMIT_PUBLISHED_EXPERTS: '1000' } })
const { server } = chat
const ann = await server.createUser({ username: 'ann' })
let made = 0

/** An agent of Ann's, and the folder that is its workspace. */
async function createAgent(settings: object = {}): Promise<{ id: string; workspace: string }> {
  made += 1
  const { id } = await server.call('POST', '/agents', { name: `agent-${made}`, ...settings }, ann.token)
  return { id, workspace: join(server.home, 'agents', id) }
}

async function put(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const path of new Set(Object.keys(files).map(dirname)))
    await mkdir(join(folder, path), { recursive: true })
  await Promise.all(Object.entries(files).map(([path, content]) => writeFile(join(folder, path), content)))
}

const publish = (id: string, body: object = { name: 'Reviewer' }) =>
  server.request('POST', `/agents/${id}/publish-expert`, { token: ann.token, body })

/** All files below a folder with their content. */
async function contentOf(folder: string): Promise<Record<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(files.map((file) => readFile(file)))
  return Object.fromEntries(files.map((file, index) => [relative(folder, file), contents[index]!]))
}

const copyOf = (expert: { id: string }) => join(server.home, 'experts', expert.id)
const paths = (rows: { path: string }[]) => rows.map(({ path }) => path)

/** Tokens of a known format, put together here so that no scanner takes this file for a leak. */
const TOKENS: Record<string, string> = {
  'an RSA key': ['-----BEGIN RSA PRIVATE', 'KEY-----'].join(' '),
  'a key in JSON': `{"private_key": "${['-----BEGIN PRIVATE', 'KEY-----'].join(' ')}\\nMIIE"}`,
  'a PGP key': ['-----BEGIN PGP PRIVATE', 'KEY BLOCK-----'].join(' '),
  'an AWS access key': `AK${'IA'}Z7QRSTUVWXY2345A`,
  'a GitHub token': `gh${'p_'}16C7e42F292c6912E7710c838347Ae178B4a`,
  'a fine-grained GitHub token': `github${'_pat_'}11ABCDEFG0aBcDeFgHiJkL_${'a1B2c3D4e5'.repeat(6)}`,
  'a GitLab token': `gl${'pat-'}Zx9_kQ2mVr7tYw4pLs8d`,
  'a Slack token': `xox${'b-'}17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy`,
  'a Slack hook': `https://hooks.slack${'.com/services/'}T0A1B2C3D/B0A1B2C3D/a1b2c3d4e5f6g7h8i9j0k1l2`,
  'a Discord hook': `https://discord${'.com/api/webhooks/'}834716205938471625/${'aB3_dE6-'.repeat(8)}xyZ1`,
  'a Feishu hook': `https://open.feishu${'.cn/open-apis/bot/v2/hook/'}0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9`,
  'a WeCom hook': `https://qyapi.weixin${'.qq.com/cgi-bin/webhook/send?key='}0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9`,
  'an Alibaba Cloud key': `LT${'AI'}5tQw8Er2Ty6Ui1Op4As7`,
  'a Tencent Cloud key': `AK${'ID'}z8Xc4Vb6Nm1Qw3Er5Ty7Ui9Op2As4Df6`,
  'a token in JSON': `{"text": "mine is:\\ngh${'p_'}16C7e42F292c6912E7710c838347Ae178B4a\\n"}`,
  'a token in a URL': `https://example.org/?q=mine%20gh${'p_'}16C7e42F292c6912E7710c838347Ae178B4a`,
  'a Stripe key': `sk_${'live_'}4eC39HqLyjWDarjtT1zdp7dc`,
  'an OpenAI key': `sk-${'proj-'}a1B2c3D4e5F6g7H8i9J0k1L2m3N4`,
  'a key of an OpenAI-compatible service': `sk-${'0f1e2d3c4b5a69788796a5b4c3d2e1f0'}`,
  'an Anthropic key': `sk-${'ant-'}api03-Q1w2E3r4T5y6U7i8O9p0A1s2D3f4G5h6`,
  'a Google key': `AI${'za'}SyD1e2F3g4H5i6J7k8L9m0N1o2P3q4R5s6T`,
  'a Telegram token': `731846295${':AA'}F-x9_QwErTyUiOpAsDfGhJkLzXcVbNm12`,
  'a JWT': `ey${'J'}hbGciOiJIUzI1NiJ9.ey${'J'}zdWIiOiJhbm4iLCJpYXQiOjF9.c2lnbmF0dXJl`,
}

const ASSIGNMENTS: Record<string, string> = {
  'a URL with a password': 'postgres://app:tr0ub4dor@db.internal:5432/app',
  'a URL with only a password': 'REDIS_URL=redis://:s3same-0pen@cache:6379/0',
  'a password in code': 'const password = "Tr0ub4dor&3x"',
  'a secret in YAML': 'client_secret: 9f8b7c6d5e4f3a2b1c0d9e8f',
  'a token in an environment': 'export DEPLOY_TOKEN=q8W2e7R4t6Y1u9I3',
  'an API key in JSON': '  "apiKey": "Zm9vYmFyYmF6cXV4MTIzNDU2",',
  'a secret key in a long line': `${'x'.repeat(300_000)} aws_secret_access_key = wJalr7UtnFEMIK7MDENGbPxRfiCYzQ8vN2kLm4Tp ${'y'.repeat(9000)}`,
  'a password in Chinese': '数据库密码：Kx7#mP2$vL9q',
  'a password on a command line': 'mysql --user app --password Kx7mP2vL9qRt4',
  'a password of a mailer': "auth: { user: 'ann', pass: 'Kx7mP2vL9qRt' }",
  'a connection string': 'AccountName=app;AccountKey=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=;',
  'a token in an address':
    'https://oapi.example.org/robot/send?access_token=9f8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d',
  'a bearer token': 'curl -H "Authorization: Bearer q8W2e7R4t6Y1u9I3o5P0"',
  'a password in XML': '<password>Kx7#mP2$vL9q</password>',
}

/** Harmless texts that look like the above. */
const HARMLESS: Record<string, string> = {
  'prose.md': 'Never put a password in a prompt. A token: ask the administrator. The secret: practice.',
  'placeholders.md':
    'password = "your-password-here"\nAPI_KEY=<your key>\ntoken: $DEPLOY_TOKEN\nsecret: "{{ vault_secret_1 }}"\n' +
    'password: "********"\napi_key = "xxxxxxxxxxxxxxxx1"\npostgres://user:password@localhost/app\nhttps://user:$PASS@host/',
  'code.ts':
    'const token = await readTokenFromRequest2(request)\nlet password: string\nsecret = config.oauth2.clientSecret\n' +
    'const { token: accessToken2 } = session\nconst apiKey = process.env.API_KEY_2\n',
  'numbers.json': '{"max_tokens": 4096, "token_count": 12345678, "tokens": [1, 2]}',
  'addresses.yaml':
    'token_url: "https://auth.example.org/oauth2/token1"\nsecret: /run/secrets/db_password_1\n',
  'hashes.txt': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  AKIAIOSFODNN7EXAMPLE',
  'time.md': 'http://localhost:8088/@ann and mailto:ann@example.org, ssh://git@host:22/repo',
}

t.test('A workspace is published to the byte, and nobody but the server may read the copy', async (t) => {
  const { id, workspace } = await createAgent()
  const files = {
    'AGENTS.md': '# Reviewer\r\n\r\nBe exact.\n',
    'skills/review/SKILL.md': '---\nname: review\ndescription: Reviews.\n---\n',
    'skills/review/run.sh': '#!/bin/sh\necho "$1"\n',
    'images/logo.png': randomBytes(100_000),
    'empty.txt': '',
    '.hidden': 'kept',
    '资料/说明 1.md': '中文内容',
    'a name\nwith a newline.md': 'kept',
    'largest.bin': Buffer.alloc(4 * 1024 * 1024, 'a'),
    ...HARMLESS,
  }
  await put(workspace, files)
  await mkdir(join(workspace, 'empty folder'))
  await chmod(join(workspace, 'skills/review/run.sh'), 0o755)
  const { status, body } = await publish(id, { name: '  Reviewer  ', description: 'Reviews texts' })
  t.equal(status, 201, JSON.stringify(body))
  const { id: expert_id, created_at, updated_at, ...summary } = body
  t.strictSame(summary, {
    expert_id,
    slug: 'reviewer',
    name: 'Reviewer',
    description: 'Reviews texts',
    created_by: 'ann',
    is_owner: true,
    can_edit: true,
    managed_by: null,
    managed_file: null,
    source_agent_id: id,
    icon: null,
    color: null,
    missing: [],
    files: Object.keys(files).sort(),
    left_out: [],
  })
  t.ok(Number.isInteger(created_at) && created_at === updated_at)
  const copy = copyOf({ id: expert_id })
  const copied = await contentOf(copy)
  t.strictSame(Object.keys(copied).sort(), Object.keys(files).sort())
  for (const [path, content] of Object.entries(files))
    t.ok(copied[path]?.equals(Buffer.from(content)), `${JSON.stringify(path)} is the same`)
  t.equal((await stat(copy)).mode & 0o777, 0o700)
  t.equal((await stat(join(copy, 'AGENTS.md'))).mode & 0o777, 0o600)
  t.equal((await stat(join(copy, 'skills/review/run.sh'))).mode & 0o777, 0o700, 'what could be run still can')
})

t.test('Uploads, generated files and logs are left out and not listed', async (t) => {
  const { id, workspace } = await createAgent()
  const names = [
    'inbound',
    'uploads',
    'sessions',
    'logs',
    '.git',
    'node_modules',
    '__pycache__',
    '.cache',
    'tmp',
  ]
  await put(workspace, {
    'AGENTS.md': 'kept',
    ...Object.fromEntries(names.map((name) => [`${name}/file.txt`, 'x'])),
    ...Object.fromEntries(names.map((name) => [`deep/er/${name.toUpperCase()}/file.txt`, 'x'])),
    'skills/a/logs': 'a file of that name',
    'run.log': 'x',
    'deep/RUN.LOG': 'x',
    'run.log.1': 'x',
    'deep/logs.md': 'kept',
    'templates/blog.login.md': 'kept',
  })
  const { body } = await publish(id)
  t.strictSame(body.files, ['AGENTS.md', 'deep/logs.md', 'templates/blog.login.md'])
  t.strictSame(body.left_out, [])
  t.strictSame(Object.keys(await contentOf(copyOf(body))).sort(), body.files)
})

t.test('Files written by turns stay behind, unless they are named', async (t) => {
  const id = chat.agent_id
  const workspace = join(server.home, 'agents', id)
  await rm(workspace, { recursive: true })
  await put(workspace, { 'AGENTS.md': 'by hand', 'notes/own.md': 'by hand', 'changed.md': 'by hand' })
  const write = (path: string, content: string) => ({
    toolCalls: [{ id: `call_${path}`, name: 'write_file', arguments: { path, content } }],
  })
  const socket = await chat.connect()
  const turn = async (...written: [path: string, content: string][]) => {
    const thread_id = await chat.createThread()
    chat.fake.next(...written.map(([path, content]) => write(path, content)), { text: 'done' })
    t.match((await socket.ask({ thread_id, text: 'go' })).end, { type: 'done' })
    return thread_id
  }
  await turn(['report.md', 'written'], ['notes/a.md', 'written'], ['notes/a b/c.md', 'written'])
  await turn(['changed.md', 'written'], ['gone.md', 'written'], ['key.md', TOKENS['a JWT']!])
  await rm(join(workspace, 'gone.md'))

  const publishIt = async (body: object) =>
    (await server.request('POST', `/agents/${id}/publish-expert`, { body })).body
  const written = (...names: string[]) => names.map((path) => ({ path, reason: 'written_by_turn' }))
  t.match(await publishIt({}), {
    files: ['AGENTS.md', 'notes/own.md'],
    left_out: written('changed.md', 'key.md', 'notes/a b/c.md', 'notes/a.md', 'report.md'),
  })
  const include_files = ['/notes/', './changed.md', 'gone.md', 'note']
  const experts = await readdir(join(server.home, 'experts'))
  const preview = await server.request('POST', `/agents/${id}/publish-expert/preview`, {
    body: { include_files },
  })
  t.strictSame(await readdir(join(server.home, 'experts')), experts, 'a preview leaves no files')
  const some = await publishIt({ include_files })
  t.strictSame(preview.body, { files: some.files, left_out: some.left_out })
  t.strictSame(some.files, ['AGENTS.md', 'changed.md', 'notes/a b/c.md', 'notes/a.md', 'notes/own.md'])
  t.strictSame(some.left_out, [
    { path: 'gone.md', reason: 'not_found' },
    { path: 'note', reason: 'not_found' },
    ...written('key.md', 'report.md'),
  ])
  t.strictSame(Object.keys(await contentOf(copyOf(some))).sort(), some.files)
  const all = await publishIt({ include_files: ['.'] })
  t.strictSame(
    all.left_out,
    [{ path: 'key.md', reason: 'secret' }],
    'what is secret stays behind in any case',
  )
  t.equal(all.files.length, 6)

  const asking = {
    toolCalls: [{ id: 'call_ask', name: 'ask_user_question', arguments: { question: 'Go on?' } }],
  }
  const thread_id = await chat.createThread()
  chat.fake.next(write('running.md', 'written'), asking)
  await socket.seePause(socket.say({ thread_id, text: 'go' }))
  t.match(
    (await publishIt({})).left_out.map(({ path }: { path: string }) => path),
    ['changed.md', 'key.md', 'notes/a b/c.md', 'notes/a.md', 'report.md', 'running.md'],
    'also of a turn that has not ended',
  )
})

t.test('Files that usually hold keys and logins are left out by their names', async (t) => {
  const { id, workspace } = await createAgent()
  const names = [
    '.env',
    '.env.production',
    'prod.env',
    '.envrc',
    'server.pem',
    'deep/Server.KEY',
    'a.p12',
    'a.pfx',
    'a.jks',
    'a.keystore',
    'id_rsa',
    'id_rsa.pub',
    'id_ed25519',
    'credentials',
    'credentials.json',
    'secrets.yaml',
    'secrets-prod.yml',
    'secrets.toml',
    '.npmrc',
    '.netrc',
    '.pypirc',
    '.git-credentials',
    'passwords.kdbx',
    'memory.sqlite',
    'memory.sqlite3',
    'memory.sqlite-wal',
    'app.db',
    'terraform.tfstate',
    'service-account-prod.json',
    '.bash_history',
  ]
  const folders = ['.aws', '.ssh', 'deep/.SSH', '.kube', 'secrets']
  await put(workspace, {
    ...Object.fromEntries(names.map((name) => [name, 'harmless'])),
    ...Object.fromEntries(folders.map((name) => [`${name}/config`, 'harmless'])),
    'AGENTS.md': 'kept',
    'environment.md': 'kept',
    'keys.md': 'kept',
    'secretary.json': 'kept',
  })
  const { body } = await publish(id)
  t.strictSame(body.files, ['AGENTS.md', 'environment.md', 'keys.md', 'secretary.json'])
  t.strictSame(paths(body.left_out).sort(), [...names, ...folders].sort())
  t.ok(body.left_out.every(({ reason }: { reason: string }) => reason === 'credentials'))
  t.strictSame(Object.keys(await contentOf(copyOf(body))).sort(), body.files)
})

t.test('Files that hold secrets are left out, whatever their names', async (t) => {
  const { id, workspace } = await createAgent()
  const secrets = { ...TOKENS, ...ASSIGNMENTS }
  const filler = `${'Some text. '.repeat(40)}\n`.repeat(700)
  const wide = `密码 and key: ${TOKENS['a GitHub token']}\n`
  const files: Record<string, string | Buffer> = {
    'AGENTS.md': 'kept',
    ...Object.fromEntries(
      Object.entries(secrets).map(([what, secret]) => [`notes/${what}.md`, `See\n${secret}\nok`]),
    ),
    ...Object.fromEntries(
      Object.entries(TOKENS).map(([what, token]) => [
        `binary/${what}.bin`,
        Buffer.concat([Buffer.from([0, 1, 2, 255]), Buffer.from(token), Buffer.from([0, 254])]),
      ]),
    ),
    'late.md': `${filler}${ASSIGNMENTS['a password in code']}\n${filler}`,
    'wide.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(wide, 'utf16le')]),
    'wide-big.txt': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(wide, 'utf16le').swap16()]),
    'wide-unmarked.txt': Buffer.from(wide, 'utf16le'),
  }
  await put(workspace, files)
  // In binary data, the word password says nothing about the bytes beside it.
  await put(workspace, { 'strings.bin': Buffer.from(`\0\0${ASSIGNMENTS['a password in code']}\0`) })
  const { body } = await publish(id)
  t.strictSame(body.files, ['AGENTS.md', 'strings.bin'])
  t.strictSame(paths(body.left_out).sort(), Object.keys(files).slice(1).sort())
  t.ok(body.left_out.every(({ reason }: { reason: string }) => reason === 'secret'))
  const copied = await contentOf(copyOf(body))
  t.strictSame(Object.keys(copied).sort(), body.files)
})

t.test('At most a hundred files that were left out are listed', async (t) => {
  const { id, workspace } = await createAgent()
  const files = Array.from({ length: 120 }, (_, index) => [`${index}.md`, TOKENS['a JWT']!])
  await put(workspace, Object.fromEntries(files))
  const { body } = await publish(id)
  t.strictSame(body.files, [])
  t.equal(body.left_out.length, 100)
})

t.test('Links, pipes, files that cannot be opened and big ones are left out', async (t) => {
  const { id, workspace } = await createAgent()
  const outside = createHome(t)
  await put(outside, { 'secret.md': 'outside' })
  await put(workspace, { 'AGENTS.md': 'kept', 'second.md': 'kept', 'big.bin': '', 'folder/kept.md': 'kept' })
  await truncate(join(workspace, 'big.bin'), 4 * 1024 * 1024 + 1)
  await symlink(join(outside, 'secret.md'), join(workspace, 'file-link.md'))
  await symlink(outside, join(workspace, 'folder/folder-link'))
  await symlink('AGENTS.md', join(workspace, 'inner-link.md'))
  await symlink('nowhere', join(workspace, 'dangling'))
  await symlink('.', join(workspace, 'loop'))
  await symlink(outside, join(workspace, 'inbound'))
  await link(join(workspace, 'AGENTS.md'), join(workspace, 'second-name.md'))
  await writeFile(Buffer.concat([Buffer.from(`${workspace}/no-utf8-`), Buffer.from([0xff])]), 'x')
  execFileSync('mkfifo', [join(workspace, 'pipe')])
  const { status, body } = await publish(id)
  t.equal(status, 201)
  t.strictSame(body.files, ['AGENTS.md', 'folder/kept.md', 'second-name.md', 'second.md'])
  t.strictSame(body.left_out, [
    { path: 'big.bin', reason: 'too_large' },
    { path: 'dangling', reason: 'link' },
    { path: 'file-link.md', reason: 'link' },
    { path: 'folder/folder-link', reason: 'link' },
    { path: 'inner-link.md', reason: 'link' },
    { path: 'loop', reason: 'link' },
    { path: 'no-utf8-\ufffd', reason: 'unreadable' },
    { path: 'pipe', reason: 'not_a_file' },
  ])
  t.strictSame(Object.keys(await contentOf(copyOf(body))).sort(), body.files)
})

t.test('A file with a path of more than 1,024 characters is left out', async (t) => {
  const { id, workspace } = await createAgent()
  const folder = `${'n'.repeat(200)}/`.repeat(5)
  await put(workspace, { [`${folder}${'1'.repeat(19)}`]: 'kept', [`${folder}${'2'.repeat(20)}`]: 'x' })
  const { body } = await publish(id)
  t.strictSame(body.files, [`${folder}${'1'.repeat(19)}`])
  t.strictSame(body.left_out, [{ path: `${folder}${'2'.repeat(20)}`, reason: 'unreadable' }])
})

t.test('A workspace that is itself a link is not followed', async (t) => {
  const { id, workspace } = await createAgent()
  const outside = createHome(t)
  await put(outside, { 'secret.md': 'outside' })
  await rm(workspace, { recursive: true })
  await symlink(outside, workspace)
  const { body } = await publish(id)
  t.match(body, { files: [], left_out: [{ path: '.', reason: 'link' }] })
  t.strictSame(await contentOf(copyOf(body)), {})
})

t.test('A link that is swapped in while an agent is published is not followed', async (t) => {
  const { id, workspace } = await createAgent()
  const outside = createHome(t)
  const names = Array.from({ length: 40 }, (_, index) => `file-${index}.md`)
  await put(outside, Object.fromEntries(names.map((name) => [name, 'outside'])))
  await put(workspace, Object.fromEntries(names.map((name) => [`folder/${name}`, 'inside'])))
  await put(workspace, { 'file.md': 'inside' })
  await symlink(outside, join(workspace, 'spare-folder'))
  await symlink(join(outside, names[0]!), join(workspace, 'spare-file'))
  let isOver = false
  let swaps = 0
  const exchange = async (one: string, other: string) => {
    const [a, b, c] = [one, other, 'between'].map((name) => join(workspace, `${name}`))
    while (!isOver) {
      await rename(a!, `${c}-${one}`)
      await rename(b!, a!)
      await rename(`${c}-${one}`, b!)
      swaps += 1
    }
  }
  const swapping = Promise.all([exchange('folder', 'spare-folder'), exchange('file.md', 'spare-file')])
  const seen = new Set<string>()
  for (let round = 0; round < amount({ short: 4, long: 200 }) || swaps <= 40 || seen.size === 0; round++) {
    const { status, body } = await publish(id)
    t.equal(status, 201, JSON.stringify(body))
    for (const content of Object.values(await contentOf(copyOf(body)))) seen.add(content.toString())
  }
  isOver = true
  await swapping
  t.strictSame([...seen], ['inside'])
})

t.test('A file that grows while it is copied is cut off at the limit', async (t) => {
  const { id, workspace } = await createAgent()
  await put(workspace, { 'growing.txt': 'a' })
  let isOver = false
  const growing = (async () => {
    for (let size = 1; !isOver; size = size > 8 << 20 ? 1 : size * 2)
      await truncate(join(workspace, 'growing.txt'), size)
  })()
  for (let round = 0; round < amount({ short: 2, long: 40 }); round++) {
    const { status, body } = await publish(id)
    t.equal(status, 201)
    for (const content of Object.values(await contentOf(copyOf(body))))
      t.ok(content.length <= 4 * 1024 * 1024)
  }
  isOver = true
  await growing
})

t.test(
  'A workspace with too many, too big or too deep files is refused and leaves nothing',
  { skip: onlyLong },
  async (t) => {
    const folders = (await readdir(join(server.home, 'experts'))).sort()
    const tooLarge = { status: 413, body: { error: { code: 'WORKSPACE_TOO_LARGE' } } }
    const { id, workspace } = await createAgent()
    const many = Array.from({ length: 2001 }, (_, index) => [`many/${index}.txt`, 'x'])
    await put(workspace, Object.fromEntries(many))
    const refusal = await publish(id)
    t.match(refusal, tooLarge, '2,001 files')
    t.match(refusal.body.error.details, { max_files: 2000, max_bytes: 64 * 1024 * 1024 })
    t.notMatch(refusal.body.error.message, /[{}]/)
    t.strictSame((await readdir(join(server.home, 'experts'))).sort(), folders)
    await rm(join(workspace, 'many/0.txt'))
    // Publishing the largest allowed workspace takes seconds.
    t.equal((await publish(id)).body.files?.length, 2000, '2,000 files')

    const big = await createAgent()
    for (let index = 0; index < 17; index++) {
      await put(big.workspace, { [`${index}.bin`]: 'x' })
      await truncate(join(big.workspace, `${index}.bin`), index === 16 ? 1 : 4 * 1024 * 1024)
    }
    t.match(await publish(big.id), tooLarge, '64 MiB and a byte')
    await rm(join(big.workspace, '16.bin'))
    t.equal((await publish(big.id)).status, 201, '64 MiB')

    const deep = await createAgent()
    await put(deep.workspace, { [`${'a/'.repeat(33)}file.md`]: 'x' })
    t.match(await publish(deep.id), tooLarge, '33 folders deep')
    await rm(join(deep.workspace, 'a'), { recursive: true })
    await put(deep.workspace, { [`${'a/'.repeat(32)}file.md`]: 'x' })
    t.equal((await publish(deep.id)).status, 201, '32 folders deep')
  },
)

t.test('Settings that hold a secret are refused with the name of the field', async (t) => {
  const secret = TOKENS['an Anthropic key']!
  const { id } = await createAgent()
  for (const field of ['system_prompt', 'welcome_message', 'description']) {
    await server.request('PATCH', `/agents/${id}`, { token: ann.token, body: { [field]: `Use ${secret}` } })
    const refusal = await publish(id)
    t.match(
      refusal,
      { status: 422, body: { error: { code: 'SECRET_IN_SETTINGS', details: { field } } } },
      field,
    )
    t.notMatch(JSON.stringify(refusal.body), secret)
    await server.request('PATCH', `/agents/${id}`, { token: ann.token, body: { [field]: 'harmless' } })
  }
  for (const field of ['name', 'description'])
    t.match(await publish(id, { name: 'x', [field]: secret.slice(0, 60) }), {
      status: 422,
      body: { error: { code: 'SECRET_IN_SETTINGS', details: { field } } },
    })
  t.match(await publish(id), { status: 201, body: { description: 'harmless' } })
})

t.test('Only the owner and administrators publish an agent, and bodies are checked', async (t) => {
  const { id } = await createAgent({ is_shared: true, icon: 'bot', color: '#123456' })
  const ben = await server.createUser({ username: 'ben' })
  const path = `/agents/${id}/publish-expert`
  t.match(await server.request('POST', path, { token: ben.token, body: { name: 'x' } }), {
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  })
  t.match(await server.request('POST', path, { body: { name: 'x' } }), {
    status: 201,
    body: { created_by: 'admin', icon: 'bot', color: '#123456' },
  })
  for (const [body, at] of [
    [{ name: '' }, '/name'],
    [{ name: '  ' }, '/name'],
    [{ name: 'x'.repeat(65) }, '/name'],
    [{ name: 'a\nb' }, '/name'],
    [{ name: 'x', slug: '' }, '/slug'],
    [{ name: 'x', slug: 'Upper' }, '/slug'],
    [{ name: 'x', slug: '-x' }, '/slug'],
    [{ name: 'x', slug: 'x'.repeat(65) }, '/slug'],
    [{ name: 'x', slug: null }, '/slug'],
    [{ name: 'x', description: 'x'.repeat(2001) }, '/description'],
    [{ name: 'x', files: [] }, '/files'],
  ] as const)
    t.match(await publish(id, body), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: at }] } } },
    })
  t.equal((await publish(id, { name: '界'.repeat(64) })).status, 201)
})

t.test('An agent that is deleted while it is published leaves no half of an expert', async (t) => {
  const { id, workspace } = await createAgent()
  const files = Array.from({ length: 300 }, (_, index) => [`${index}.md`, 'x'])
  await put(workspace, Object.fromEntries(files))
  const [published, deleted] = await Promise.all([
    publish(id, { name: 'Doomed' }),
    server.request('DELETE', `/agents/${id}`, { token: ann.token }),
  ])
  t.equal(deleted.status, 204)
  if (published.status === 201) t.equal(published.body.files.length, 300)
  else t.match(published, { status: 404, body: { error: { code: 'AGENT_NOT_FOUND' } } })
})
