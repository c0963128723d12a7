import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SkillPackageDocument } from '../../../plugins/agents/skills/types.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'
import { createSkillCalls, listAll, refusal, skillText } from './skill-calls.ts'

const MIB = 1024 * 1024
const SECRET = 'what only the outside holds'

const server = await startServer(t)
const { request } = server
const calls = createSkillCalls(server)
const { add, copy, createAgent, createPackage, packageOf, push, skillsOf, slugsIn, write, writeSkill } = calls

const permissions = ['skill_packages']
const creator = await server.createUser({ username: 'creator', permissions })
const other = await server.createUser({ username: 'other', permissions })
const plain = await server.createUser({ username: 'plain' })

/** The sizes of a skill's files, set without writing content. */
const makeSparse = (path: string, bytes: number) => {
  const file = openSync(path, 'w')
  ftruncateSync(file, bytes)
  closeSync(file)
}

t.test('A package is created, shown to everybody, changed and deleted by its creator', async (t) => {
  const { token } = creator
  const made = await request('POST', '/skill-packages', { token, body: { name: ' Office ' } })
  t.equal(made.status, 201)
  const { id, created_at, updated_at, ...shown } = made.body
  t.strictSame(shown, {
    ...{ name: 'Office', description: null, created_by: 'creator', skill_count: 0 },
    ...{ is_owner: true, can_edit: true },
  })
  t.equal(updated_at, created_at)
  t.strictSame((await request('GET', `/skill-packages/${id}`, { token: plain.token })).body, {
    ...made.body,
    ...{ is_owner: false, can_edit: false },
    skills: [],
  })
  await add(id, 'letters', { 'SKILL.md': skillText('Writes letters') }, {}, token)
  const { body: rows } = await request('GET', '/skill-packages', { token: plain.token })
  t.match(rows, [{ id, skill_count: 1 }])

  const body = { name: 'Bureau', description: 'Papers' }
  t.match(await request('PATCH', `/skill-packages/${id}`, { token, body }), {
    status: 200,
    body: { id, ...body, skill_count: 1, created_by: 'creator' },
  })
  t.match(await request('PATCH', `/skill-packages/${id}`, { token, body: { description: null } }), {
    body: { name: 'Bureau', description: null },
  })
  t.ok(existsSync(packageOf(id)))
  t.equal((await request('DELETE', `/skill-packages/${id}`, { token })).status, 204)
  t.notOk(existsSync(packageOf(id)))
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['DELETE', '/skills/letters'],
  ] as const)
    t.strictSame(refusal(await request(method, `/skill-packages/${id}${path}`, { token })), [
      404,
      'SKILL_PACKAGE_NOT_FOUND',
    ])
})

t.test(
  'Only users with the permission change packages, and only administrators those of others',
  async (t) => {
    const id = await createPackage(creator.token)
    const files = { 'SKILL.md': skillText('Says hello') }
    await add(id, 'hello', files, {}, creator.token)
    const agents = new Map<string, string>()
    for (const { token } of [plain, other]) {
      agents.set(token, await createAgent(token))
      writeSkill(agents.get(token)!, 'mine', files)
    }
    const attempts = (token: string) => [
      request('PATCH', `/skill-packages/${id}`, { token, body: { name: 'Stolen' } }),
      request('DELETE', `/skill-packages/${id}`, { token }),
      add(id, 'more', files, {}, token),
      request('DELETE', `/skill-packages/${id}/skills/hello`, { token }),
      push(agents.get(token)!, 'mine', id, {}, token),
    ]
    for (const reply of await Promise.all(attempts(plain.token)))
      t.match(reply, { status: 403, body: { error: { details: { permission: 'skill_packages' } } } })
    for (const reply of await Promise.all(attempts(other.token)))
      t.strictSame(refusal(reply), [403, 'FORBIDDEN'])
    t.strictSame(await slugsIn(id), ['hello'])
    t.equal((await request('PATCH', `/skill-packages/${id}`, { body: { name: 'By the admin' } })).status, 200)
    t.equal(
      (await copy(agents.get(plain.token)!, id, ['hello'], {}, plain.token)).status,
      200,
      'all may copy',
    )

    const { body } = await request('GET', '/users/permissions', { headers: { 'accept-language': 'zh' } })
    t.match(
      body.find(({ key }: { key: string }) => key === 'skill_packages'),
      { category: 'settings', label: '技能包' },
    )
  },
)

t.test('Names of packages are unique, whatever their case', async (t) => {
  const create = (name: string) => request('POST', '/skill-packages', { body: { name } })
  t.equal((await create('Straße')).status, 201)
  const second = (await create('Another')).body.id
  for (const name of ['Straße', 'STRAßE', ' straße '])
    t.strictSame(refusal(await create(name)), [409, 'SKILL_PACKAGE_NAME_TAKEN'], name)
  t.match(await request('PATCH', `/skill-packages/${second}`, { body: { name: 'sTRAßE' } }), {
    status: 409,
    body: { error: { code: 'SKILL_PACKAGE_NAME_TAKEN', details: { name: 'sTRAßE' } } },
  })
  t.equal((await request('PATCH', `/skill-packages/${second}`, { body: { name: 'ANOTHER' } })).status, 200)
  for (const body of [
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(65) },
    { name: 'a\nb' },
    { name: 'a', description: 'x'.repeat(2001) },
    {},
  ])
    t.strictSame(
      refusal(await request('POST', '/skill-packages', { body })),
      [422, 'VALIDATION_FAILED'],
      JSON.stringify(body),
    )
})

t.test('An account creates 50 packages, and more after it deletes some', async (t) => {
  const { id, token } = await server.createUser({ username: 'collector', permissions })
  const create = (name: string) => request('POST', '/skill-packages', { token, body: { name } })
  const packages = server.db.collection<SkillPackageDocument>('skill_packages')
  const row = (await packages.findOne({ _id: await createPackage() }))!
  const seeded = amount({ short: 40, long: 1 })
  await packages.insertMany(
    Array.from({ length: seeded }, (_, n) => ({
      ...row,
      _id: `${row._id}-${n}`,
      name_key: `seeded ${n}`,
      created_by_id: id,
      created_by: 'collector',
    })),
  )
  const left = 50 - seeded
  const made = await Promise.all(Array.from({ length: left + 5 }, (_, n) => create(`Of the collector ${n}`)))
  const created = made.filter(({ status }) => status === 201)
  t.equal(created.length, left)
  for (const reply of made.filter(({ status }) => status !== 201))
    t.match(reply, {
      status: 409,
      body: { error: { code: 'LIMIT_REACHED', details: { limit: 'skill_packages', max: 50 } } },
    })
  t.match((await request('GET', '/auth/me', { token })).body.limits, {
    skill_packages: { used: 50, max: 50 },
  })
  await request('DELETE', `/skill-packages/${created[0]!.body.id}`, { token })
  t.equal((await create('Once more')).status, 201)
  t.strictSame(refusal(await create('Too many')), [409, 'LIMIT_REACHED'])
})

t.test('The skills of a workspace are listed with their names and descriptions', async (t) => {
  const agent_id = await createAgent()
  const list = async () => (await request('GET', `/agents/${agent_id}/skills`)).body
  t.strictSame(await list(), [])
  writeSkill(agent_id, 'pdf', { 'SKILL.md': skillText('Makes PDFs'), 'lib/make.py': 'print()', 'a.txt': 'a' })
  writeSkill(agent_id, 'bare', { 'SKILL.md': '# Bare\n\nJust a text.\nMore of it.' })
  writeSkill(agent_id, 'no-skill', { 'README.md': 'nothing' })
  writeSkill(agent_id, 'Not A Slug', { 'SKILL.md': skillText('Hidden') })
  writeFileSync(join(skillsOf(agent_id), 'file'), 'no folder')
  const rows = await list()
  t.match(rows, [
    { slug: 'bare', name: 'bare', description: 'Just a text.', files: 1 },
    { slug: 'pdf', name: 'A skill', description: 'Makes PDFs', files: 3 },
  ])
  t.equal(rows.length, 2)
  t.equal(rows[1].bytes, Buffer.byteLength(skillText('Makes PDFs')) + 8)
  t.ok(Math.abs(rows[1].updated_at - Date.now() / 1000) < 60)

  const { body } = await request('GET', `/agents/${agent_id}/skills/pdf`)
  t.strictSame(body, {
    ...rows[1],
    content: skillText('Makes PDFs'),
    paths: ['SKILL.md', 'a.txt', 'lib/make.py'],
  })
  t.equal(body.enabled, true)
  const long = `${'汉'.repeat(100_000)}`
  writeSkill(agent_id, 'long', { 'SKILL.md': long })
  const shown = (await request('GET', `/agents/${agent_id}/skills/long`)).body.content
  t.equal(shown, '汉'.repeat(Math.floor((256 * 1024) / 3)), 'the beginning, no character divided')

  for (const slug of ['no-skill', 'file', 'none', 'Not A Slug', '%2e%2e', 'x'.repeat(70)])
    t.equal(
      (await request('GET', `/agents/${agent_id}/skills/${encodeURIComponent(slug)}`)).status,
      404,
      slug,
    )
  t.equal((await request('DELETE', `/agents/${agent_id}/skills/pdf`)).status, 204)
  t.strictSame(refusal(await request('DELETE', `/agents/${agent_id}/skills/pdf`)), [404, 'SKILL_NOT_FOUND'])
  t.strictSame(
    (await list()).map(({ slug }: { slug: string }) => slug),
    ['bare', 'long'],
  )
  t.notOk(listAll(skillsOf(agent_id)).some((path) => path.startsWith('pdf') || path.includes('.tmp')))
})

t.test('A skill of a workspace is created, read and written as a whole', async (t) => {
  const agent_id = await createAgent()
  const path = `/agents/${agent_id}/skills`
  const files = [
    { path: 'SKILL.md', content: skillText('Makes maps') },
    { path: 'bin/draw.sh', content: '#!/bin/sh\n', executable: true },
    { path: 'pixel.png', content_base64: Buffer.from([0x89, 0x50, 0xff]).toString('base64') },
  ]
  const made = await request('POST', path, { body: { slug: 'maps', files } })
  t.match(made, {
    status: 201,
    body: { slug: 'maps', name: 'A skill', description: 'Makes maps', files: 3, enabled: true },
  })
  t.strictSame((await request('GET', path)).body, [made.body])
  t.equal(statSync(join(skillsOf(agent_id), 'maps/bin/draw.sh')).mode & 0o777, 0o700)
  t.match(await request('POST', path, { body: { slug: 'maps', files } }), {
    status: 409,
    body: { error: { code: 'SKILL_ALREADY_EXISTS', details: { slug: 'maps' } } },
  })
  const { body: shown } = await request('GET', `${path}/maps?contents=true`)
  t.strictSame(shown.contents, files)
  t.notOk('contents' in (await request('GET', `${path}/maps`)).body, 'only if asked for')

  const [own, ...others] = shown.contents
  const edited = [{ ...own, content: skillText('Draws maps') }, others[0]]
  const owner = `agents/${agent_id}`
  t.match(await write(owner, 'maps', edited), { status: 200, body: { description: 'Draws maps', files: 2 } })
  t.strictSame((await request('GET', `${path}/maps?contents=true`)).body.contents, edited)
  t.match(await write(owner, 'new', edited), { status: 201, body: { slug: 'new', enabled: true } })
  t.match(await request('POST', path, { body: { slug: 'new', files, overwrite: true } }), {
    status: 201,
    body: { files: 3 },
  })

  const big = 'x'.repeat(600 * 1024)
  t.equal((await write(owner, 'big', [files[0]!, { path: 'a', content: big }])).status, 201)
  writeFileSync(join(skillsOf(agent_id), 'big/b'), big)
  t.match(await request('GET', `${path}/big?contents=true`), {
    status: 413,
    body: { error: { code: 'SKILL_CONTENTS_TOO_LARGE', details: { max_bytes: MIB } } },
  })
  for (const [slug, wrong, answer] of [
    ['Bad', files, [422, 'VALIDATION_FAILED']],
    ['.new.off', files, [422, 'VALIDATION_FAILED']],
    ['bad', [], [422, 'VALIDATION_FAILED']],
    ['bad', [{ path: 'SKILL.md' }], [422, 'VALIDATION_FAILED']],
    ['bad', [{ path: 'a', content: '' }], [400, 'SKILL_ARCHIVE_INVALID']],
    ['bad', [files[0]!, { path: '../a', content: '' }], [400, 'SKILL_ARCHIVE_INVALID']],
    ['bad', [files[0]!, { path: 'd/'.repeat(17), content: '' }], [400, 'SKILL_ARCHIVE_INVALID']],
    ['bad', [files[0]!, { path: `${'d/'.repeat(16)}a`, content: '' }], [413, 'SKILL_TOO_LARGE']],
  ] as const)
    t.strictSame(refusal(await write(owner, slug, [...wrong])), answer, JSON.stringify([slug, wrong]))
  t.strictSame(
    listAll(skillsOf(agent_id)).filter((name) => !name.includes('/')),
    ['big', 'maps', 'new'],
  )
})

t.test('A skill that is off stays off when it is replaced, copied and published', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  const files = { 'SKILL.md': skillText('Version 2') }
  await add(package_id, 'memo', files)
  await copy(agent_id, package_id, ['memo'])
  const path = `/agents/${agent_id}/skills`
  const turn = (enabled: boolean, slug = 'memo') => request('PATCH', `${path}/${slug}`, { body: { enabled } })
  const isOn = async (id = agent_id) => (await request('GET', `/agents/${id}/skills/memo`)).body.enabled

  t.match(await turn(false), { status: 200, body: { slug: 'memo', enabled: false } })
  t.match(await turn(false), { status: 200, body: { enabled: false } }, 'twice is the same')
  t.match((await request('GET', path)).body, [{ slug: 'memo', enabled: false }])
  await copy(agent_id, package_id, ['memo'], { overwrite: true })
  t.equal(await isOn(), false)
  t.match(await write(`agents/${agent_id}`, 'memo', [{ path: 'SKILL.md', content: '' }]), {
    body: { enabled: false },
  })
  const { body: expert } = await request('POST', `/agents/${agent_id}/publish-expert`, {
    body: { name: 'With a memo' },
  })
  const { body: installed } = await request('POST', `/experts/published/${expert.id}/install`, {
    body: { name: 'memo-writer' },
  })
  t.equal(await isOn(installed.id), false)
  t.equal((await push(agent_id, 'memo', await createPackage())).status, 201)
  t.match(await turn(true), { status: 200, body: { enabled: true } })
  t.equal(await isOn(installed.id), false, 'each agent has its own')

  await turn(false)
  t.equal((await request('DELETE', `${path}/memo`)).status, 204)
  await copy(agent_id, package_id, ['memo'])
  t.equal(await isOn(), true, 'what is made anew is on')
  t.strictSame(refusal(await turn(false, 'none')), [404, 'SKILL_NOT_FOUND'])
  t.equal((await request('PATCH', `${path}/memo`, { body: {} })).status, 422)

  const outside = join(server.home, 'outside.txt')
  writeFileSync(outside, SECRET)
  symlinkSync(outside, join(skillsOf(agent_id), '.memo.off'))
  t.match(await turn(false), { body: { enabled: false } })
  t.match(await turn(true), { body: { enabled: true } })
  t.equal(readFileSync(outside, 'utf8'), SECRET, 'no link is followed')
})

t.test('A skill of a package is read by all, and written by those who may change the package', async (t) => {
  const package_id = await createPackage(creator.token)
  const path = `/skill-packages/${package_id}/skills/hello`
  const files = [{ path: 'SKILL.md', content: skillText('Says hello') }]
  const owner = `skill-packages/${package_id}`
  t.match(await write(owner, 'hello', files, creator.token), {
    status: 201,
    body: { slug: 'hello', description: 'Says hello', files: 1 },
  })
  t.strictSame((await request('GET', `${path}?contents=true`, { token: plain.token })).body, {
    slug: 'hello',
    name: 'A skill',
    description: 'Says hello',
    files: 1,
    bytes: Buffer.byteLength(skillText('Says hello')),
    content: skillText('Says hello'),
    paths: ['SKILL.md'],
    contents: files,
  })
  const more = [...files, { path: 'more.txt', content: 'more' }]
  t.match(await write(owner, 'hello', more, creator.token), { status: 200, body: { files: 2 } })
  t.strictSame(refusal(await write(owner, 'hello', files, other.token)), [403, 'FORBIDDEN'])
  t.strictSame(refusal(await write(owner, 'Hello', files)), [422, 'VALIDATION_FAILED'])
  t.strictSame(refusal(await request('GET', `${path}2`)), [404, 'SKILL_NOT_FOUND'])
  t.strictSame(refusal(await request('GET', `/skill-packages/${await createPackage()}/skills/a`)), [
    404,
    'SKILL_NOT_FOUND',
  ])
})

t.test('A copy is a snapshot: later changes on one side do not affect the other', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  await add(package_id, 'memo', { 'SKILL.md': skillText('Version 1'), 'deep/er/a.txt': 'a' })
  t.match(await copy(agent_id, package_id, ['memo']), {
    status: 200,
    body: { copied: ['memo'], skipped: [] },
  })
  const copied = { 'SKILL.md': skillText('Version 1'), 'deep/er/a.txt': 'a' }
  t.strictSame(calls.readSkill(agent_id, 'memo'), copied)

  await add(package_id, 'memo', { 'SKILL.md': skillText('Version 2') }, { overwrite: true })
  t.strictSame(calls.readSkill(agent_id, 'memo'), copied, 'the workspace keeps its own')
  writeSkill(agent_id, 'memo', { 'SKILL.md': skillText('Version 3'), 'own.txt': 'own' })
  t.strictSame(calls.readPacked(package_id, 'memo'), { 'SKILL.md': skillText('Version 2') })

  t.match(await push(agent_id, 'memo', package_id, { overwrite: true }), {
    status: 201,
    body: { slug: 'memo', name: 'A skill', description: 'Version 3', files: 3 },
  })
  writeSkill(agent_id, 'memo', { 'SKILL.md': skillText('Version 4') })
  t.equal(calls.readPacked(package_id, 'memo')['SKILL.md'], skillText('Version 3'))
  await request('DELETE', `/skill-packages/${package_id}`)
  t.equal(calls.readSkill(agent_id, 'memo')['SKILL.md'], skillText('Version 4'))
})

t.test('Existing skills are skipped, or replaced as a whole', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  for (const slug of ['a', 'b', 'c']) await add(package_id, slug, { 'SKILL.md': skillText(`new ${slug}`) })
  writeSkill(agent_id, 'b', { 'SKILL.md': skillText('old b'), 'old.txt': 'old' })
  writeSkill(agent_id, 'c', { 'draft.txt': 'no skill yet' })

  t.strictSame(refusal(await copy(agent_id, package_id, ['a', 'none'])), [404, 'SKILL_NOT_FOUND'])
  t.notOk(existsSync(join(skillsOf(agent_id), 'a')), 'nothing is copied before all are found')
  t.strictSame(refusal(await copy(agent_id, 'none', ['a'])), [404, 'SKILL_PACKAGE_NOT_FOUND'])
  t.strictSame(refusal(await copy(agent_id, await createPackage(), ['a'])), [404, 'SKILL_NOT_FOUND'])
  t.strictSame((await copy(agent_id, package_id, ['c', 'b', 'a'])).body, {
    copied: ['a'],
    skipped: ['c', 'b'],
  })
  t.equal(calls.readSkill(agent_id, 'b')['SKILL.md'], skillText('old b'))
  t.strictSame((await copy(agent_id, package_id, ['a', 'b', 'c'], { overwrite: true })).body, {
    copied: ['a', 'b', 'c'],
    skipped: [],
  })
  t.strictSame(listAll(skillsOf(agent_id)), ['a', 'a/SKILL.md', 'b', 'b/SKILL.md', 'c', 'c/SKILL.md'])
  t.equal(calls.readSkill(agent_id, 'b')['SKILL.md'], skillText('new b'))

  for (const skill_slugs of [[], ['a', 'a'], Array.from({ length: 65 }, (_, n) => `s${n}`)])
    t.equal((await copy(agent_id, package_id, skill_slugs)).status, 422)
  t.match(await push(agent_id, 'a', package_id), {
    status: 409,
    body: { error: { code: 'SKILL_ALREADY_EXISTS', details: { slug: 'a' } } },
  })
  t.strictSame(refusal(await push(agent_id, 'none', package_id)), [404, 'SKILL_NOT_FOUND'])
  t.strictSame(refusal(await push(agent_id, 'a', 'none')), [404, 'SKILL_PACKAGE_NOT_FOUND'])
  t.strictSame(refusal(await add(package_id, 'a', { 'SKILL.md': 'x' })), [409, 'SKILL_ALREADY_EXISTS'])
  t.equal((await request('DELETE', `/skill-packages/${package_id}/skills/a`)).status, 204)
  t.strictSame(refusal(await request('DELETE', `/skill-packages/${package_id}/skills/a`)), [
    404,
    'SKILL_NOT_FOUND',
  ])
  t.equal((await push(agent_id, 'a', package_id)).status, 201)
})

t.test(
  'Of parallel pushes of one skill one wins, and overwriting ones leave one whole version',
  async (t) => {
    const package_id = await createPackage()
    const agents = await Promise.all([1, 2, 3, 4].map(() => createAgent()))
    const filesOf = (version: number) =>
      Object.fromEntries([
        ['SKILL.md', skillText(`Version ${version}`)],
        ...Array.from({ length: amount({ short: 8, long: 30 }) }, (_, n) => [`part-${n}.txt`, `${version}`]),
      ])
    for (const [version, agent_id] of agents.entries()) writeSkill(agent_id, 'race', filesOf(version))
    const replies = await Promise.all(agents.map((agent_id) => push(agent_id, 'race', package_id)))
    t.strictSame(replies.map(({ status }) => status).sort(), [201, 409, 409, 409])

    const target = await createAgent()
    const versions = agents.map((_, version) => JSON.stringify(Object.entries(filesOf(version)).sort()))
    const isWhole = (files: Record<string, string>) =>
      versions.includes(JSON.stringify(Object.entries(files).sort()))
    const wave = await Promise.all([
      ...agents.map((agent_id) => push(agent_id, 'race', package_id, { overwrite: true })),
      ...agents.map(() => copy(target, package_id, ['race'], { overwrite: true })),
      ...agents.map((agent_id) => push(agent_id, 'race', package_id, { overwrite: true })),
      ...agents.map(() => copy(target, package_id, ['race'], { overwrite: true })),
    ])
    t.strictSame(
      wave.map(({ status }) => status).filter((status) => status !== 200 && status !== 201),
      [],
    )
    t.ok(isWhole(calls.readPacked(package_id, 'race')))
    t.ok(isWhole(calls.readSkill(target, 'race')), 'also what was copied while it was replaced')
    for (const folder of [join(packageOf(package_id), 'skills'), skillsOf(target)])
      t.strictSame(
        listAll(folder).filter((path) => !path.includes('/')),
        ['race'],
        'nothing else is left',
      )
  },
)

t.test(
  'A skill and a package hold two thousand files and 64 MiB, and paths of 16 names',
  { skip: onlyLong },
  async (t) => {
    const [agent_id, package_id] = [await createAgent(), await createPackage()]
    const skill = (slug: string, ...path: string[]) => join(skillsOf(agent_id), slug, ...path)
    const tooLarge = (limit: string, of: string) => ({
      status: 413,
      body: { error: { code: 'SKILL_TOO_LARGE', details: { limit, of } } },
    })

    writeSkill(agent_id, 'many', { 'SKILL.md': '' })
    for (let n = 1; n < 2000; n++) linkSync(skill('many', 'SKILL.md'), skill('many', `${n}`))
    t.match(await push(agent_id, 'many', package_id), { status: 201, body: { files: 2000 } })
    writeFileSync(skill('many', 'one-more'), '')
    t.match(await push(agent_id, 'many', package_id, { overwrite: true }), tooLarge('files', 'skill'))
    t.match((await request('GET', `/agents/${agent_id}/skills`)).body, [{ slug: 'many', files: 2000 }])
    writeSkill(agent_id, 'one', { 'SKILL.md': 'x' })
    t.match(await push(agent_id, 'one', package_id), tooLarge('files', 'package'))
    t.strictSame(await slugsIn(package_id), ['many'])

    const second = await createPackage()
    writeSkill(agent_id, 'big', { 'SKILL.md': '' })
    makeSparse(skill('big', 'zeros'), 64 * MIB)
    t.match(await push(agent_id, 'big', second), { status: 201, body: { bytes: 64 * MIB } })
    t.match(await push(agent_id, 'one', second), tooLarge('bytes', 'package'))
    t.equal((await push(agent_id, 'big', second, { overwrite: true })).status, 201, 'it counts once')
    writeFileSync(skill('big', 'SKILL.md'), 'x')
    t.match(await push(agent_id, 'big', second, { overwrite: true }), tooLarge('bytes', 'skill'))
    t.equal(statSync(join(packageOf(second), 'skills/big/SKILL.md')).size, 0, 'the package keeps what it had')

    const third = await createPackage()
    const deep = Array.from({ length: 15 }, () => 'd').join('/')
    writeSkill(agent_id, 'deep', { 'SKILL.md': '', [`${deep}/file`]: '' })
    t.equal((await push(agent_id, 'deep', third)).status, 201)
    writeSkill(agent_id, 'deep', { [`${deep}/d/file`]: '' })
    t.match(await push(agent_id, 'deep', third, { overwrite: true }), tooLarge('depth', 'skill'))
    for (const folder of [package_id, second, third])
      t.strictSame(
        listAll(join(packageOf(folder), 'skills')).filter((path) => path.startsWith('.')),
        [],
        'what was refused leaves nothing',
      )
  },
)

t.test('Links are ignored: nothing outside a skill is listed, read or copied', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  const outside = join(server.home, 'outside')
  mkdirSync(join(outside, 'leak'), { recursive: true })
  writeFileSync(join(outside, 'secret.txt'), SECRET)
  writeFileSync(join(outside, 'leak', 'SKILL.md'), SECRET)
  writeSkill(agent_id, 'real', { 'SKILL.md': skillText('Real'), 'file.txt': 'kept' })
  writeSkill(agent_id, 'linked-file', { 'other.txt': 'x' })
  const skill = (path: string) => join(skillsOf(agent_id), path)
  symlinkSync(join(outside, 'leak'), skill('linked-folder'))
  symlinkSync(join(outside, 'leak', 'SKILL.md'), skill('linked-file/SKILL.md'))
  symlinkSync(join(outside, 'secret.txt'), skill('real/secret.txt'))
  symlinkSync(outside, skill('real/outside'))

  const { body } = await request('GET', `/agents/${agent_id}/skills`)
  t.match(body, [{ slug: 'real', files: 2 }])
  t.equal(body.length, 1)
  t.strictSame((await request('GET', `/agents/${agent_id}/skills/real`)).body.paths, ['SKILL.md', 'file.txt'])
  for (const slug of ['linked-folder', 'linked-file']) {
    t.strictSame(refusal(await request('GET', `/agents/${agent_id}/skills/${slug}`)), [
      404,
      'SKILL_NOT_FOUND',
    ])
    t.strictSame(refusal(await request('DELETE', `/agents/${agent_id}/skills/${slug}`)), [
      404,
      'SKILL_NOT_FOUND',
    ])
    t.strictSame(refusal(await push(agent_id, slug, package_id)), [404, 'SKILL_NOT_FOUND'])
  }
  t.equal((await push(agent_id, 'real', package_id)).status, 201)
  t.strictSame(calls.readPacked(package_id, 'real'), { 'SKILL.md': skillText('Real'), 'file.txt': 'kept' })

  await add(package_id, 'linked-folder', { 'SKILL.md': skillText('New') })
  t.strictSame((await copy(agent_id, package_id, ['linked-folder'])).body.skipped, ['linked-folder'])
  t.strictSame((await copy(agent_id, package_id, ['linked-folder'], { overwrite: true })).body.copied, [
    'linked-folder',
  ])
  t.equal(calls.readSkill(agent_id, 'linked-folder')['SKILL.md'], skillText('New'))

  const trapped = await createAgent()
  symlinkSync(outside, skillsOf(trapped))
  t.strictSame((await request('GET', `/agents/${trapped}/skills`)).body, [])
  t.strictSame(refusal(await copy(trapped, package_id, ['real'])), [409, 'SKILLS_FOLDER_UNUSABLE'])
  t.strictSame(
    listAll(outside),
    ['leak', 'leak/SKILL.md', 'secret.txt'],
    'what links lead to is as it was, and nothing was added',
  )
})

t.test('A skill keeps its executable files, and nobody else can read it', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  writeSkill(agent_id, 'tool', { 'SKILL.md': 'x', 'run.sh': 'x' })
  chmodSync(join(skillsOf(agent_id), 'tool/run.sh'), 0o755)
  linkSync(join(skillsOf(agent_id), 'tool/run.sh'), join(skillsOf(agent_id), 'tool/twin.sh'))
  t.equal((await push(agent_id, 'tool', package_id)).status, 201)
  const modeOf = (path: string) => statSync(join(packageOf(package_id), 'skills/tool', path)).mode & 0o777
  t.strictSame(['.', 'run.sh', 'twin.sh', 'SKILL.md'].map(modeOf), [0o700, 0o700, 0o700, 0o600])
})

t.test('A skill that a crash left between two names still exists, and is repaired', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  await add(package_id, 'kept', { 'SKILL.md': skillText('Kept') })
  await add(package_id, 'done', { 'SKILL.md': skillText('New') })
  const id = '01JZZZZZZZZZZZZZZZZZZZZZZZ'
  const young = server.server.runtime.cradleOf('skills').ids.make()
  const pathOf = (name: string) => join(packageOf(package_id), 'skills', name)
  renameSync(pathOf('kept'), pathOf(`.kept.${young}.old`))
  for (const name of [`.${id}.tmp`, `.${young}.tmp`, `.done.${id}.old`, `.lost.${id}.old`]) {
    mkdirSync(pathOf(name))
    writeFileSync(join(pathOf(name), 'SKILL.md'), skillText('Old'))
  }
  t.strictSame(await slugsIn(package_id), ['done', 'kept', 'lost'])
  t.strictSame((await copy(agent_id, package_id, ['kept', 'done'])).body.copied, ['kept', 'done'])
  t.equal(calls.readSkill(agent_id, 'done')['SKILL.md'], skillText('New'))
  t.strictSame(
    listAll(pathOf('.')).filter((path) => !path.includes('/')),
    [`.${young}.tmp`, `.kept.${young}.old`, 'done', 'lost'],
    'what is old is put right; what is young may be in use',
  )
  await add(package_id, 'kept', { 'SKILL.md': skillText('Newer') }, { overwrite: true })
  t.equal(calls.readPacked(package_id, 'kept')['SKILL.md'], skillText('Newer'))
})

t.test('Old folders without a package are removed', async (t) => {
  const package_id = await createPackage()
  const { skillPackages, ids } = server.server.runtime.cradleOf('skills')
  const [old, young] = ['01JZZZZZZZZZZZZZZZZZZZZZZY', ids.make()]
  await add(package_id, 'kept', { 'SKILL.md': '' })
  for (const name of [old, young, 'foreign'])
    mkdirSync(join(packageOf(name), 'skills/x'), { recursive: true })
  const temporary = join(packageOf(package_id), 'skills', `.${old}.tmp`)
  mkdirSync(temporary)
  await skillPackages.clean(new AbortController().signal)
  t.strictSame(
    [old, young, 'foreign', package_id].map((id) => existsSync(packageOf(id))),
    [false, true, true, true],
  )
  t.notOk(existsSync(temporary), 'and so are skills that were not put in their places')
  t.strictSame(await slugsIn(package_id), ['kept'])
})

t.test('A package that is deleted while a skill is added leaves nothing behind', async (t) => {
  const [agent_id, package_id] = [await createAgent(), await createPackage()]
  writeSkill(agent_id, 'late', { 'SKILL.md': 'x' })
  for (let n = 0; n < 300; n++) writeSkill(agent_id, 'late', { [`${n}`]: '' })
  const [pushed, deleted] = await Promise.all([
    push(agent_id, 'late', package_id),
    request('DELETE', `/skill-packages/${package_id}`),
  ])
  t.equal(deleted.status, 204)
  t.ok([201, 404].includes(pushed.status), `${pushed.status}`)
  t.equal((await request('GET', `/skill-packages/${package_id}`)).status, 404)
  t.notOk(existsSync(join(packageOf(package_id), 'skills/late')))
})

t.test('An account is deleted with its packages, and an agent with its skills', async (t) => {
  const gone = await server.createUser({ username: 'gone', permissions })
  const made = [await createPackage(gone.token), await createPackage(gone.token)]
  for (const id of made) await add(id, 'a', { 'SKILL.md': 'x' }, {}, gone.token)
  const agent_id = await createAgent()
  t.match(await copy(agent_id, made[0]!, ['a']), { status: 200 })
  t.equal((await request('DELETE', '/users/gone')).status, 204)
  const { body } = await request('GET', '/skill-packages')
  for (const id of made) {
    t.notOk(body.some((row: { id: string }) => row.id === id))
    t.notOk(existsSync(packageOf(id)))
  }
  t.ok(existsSync(join(skillsOf(agent_id), 'a')), 'copies stay')
  const { skillPackages } = server.server.runtime.cradleOf('skills')
  await t.rejects(skillPackages.create(gone, { name: 'Too late' }), {
    code: 'AUTH_FAILED',
  })
  t.notOk(
    (await request('GET', '/skill-packages')).body.some(({ name }: { name: string }) => name === 'Too late'),
  )
  t.equal((await request('DELETE', `/agents/${agent_id}`)).status, 204)
  t.notOk(existsSync(skillsOf(agent_id)))
})

t.test('A missing workspace has no skills', async (t) => {
  const agent_id = await createAgent()
  rmSync(join(skillsOf(agent_id), '..'), { recursive: true })
  t.strictSame((await request('GET', `/agents/${agent_id}/skills`)).body, [])
  t.strictSame(refusal(await request('GET', `/agents/${agent_id}/skills/a`)), [404, 'SKILL_NOT_FOUND'])
})
