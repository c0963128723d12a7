import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'
import { createSkillCalls, listAll, refusal, skillText } from './skill-calls.ts'
import { TOOL_ZIPS } from './skill-zips.ts'

const MIB = 1024 * 1024

const server = await startServer(t)
const calls = createSkillCalls(server)
const { add, createPackage, packageOf, readPacked, slugsIn, upload } = calls

const SKILL: ZipEntry = { name: 'SKILL.md', content: skillText('Made for a test') }
const inFolder = (...entries: ZipEntry[]): ZipEntry[] => [
  { ...SKILL, name: 's/SKILL.md' },
  ...entries.map(({ name, ...entry }) => ({ ...entry, name: typeof name === 'string' ? `s/${name}` : name })),
]

/** Lists the entries of the home except the files of the server itself. */
const listHome = () => [...readdirSync(server.home).sort(), ...listAll(join(server.home, 'skill-packages'))]

t.test(
  'An archive may hold one skill at its root, named by the caller, by itself or by its file',
  async (t) => {
    const package_id = await createPackage()
    const zip = makeZip([SKILL, { name: 'lib/', mode: 0o040755 }, { name: 'lib/a.txt', content: 'a' }])
    t.match(await upload(package_id, zip, { query: '?slug=given' }), {
      status: 201,
      body: { skills: [{ slug: 'given', name: 'A skill', description: 'Made for a test', files: 2 }] },
    })
    t.strictSame(readPacked(package_id, 'given'), { 'SKILL.md': SKILL.content, 'lib/a.txt': 'a' })
    t.match((await upload(package_id, zip)).body.skills, [{ slug: 'a-skill' }])
    const nameless = makeZip([{ name: 'SKILL.md', content: '汉字' }])
    t.match((await upload(package_id, nameless, { filename: 'Über Tools_2.ZIP' })).body.skills, [
      { slug: 'u-ber-tools_2', name: 'u-ber-tools_2', description: '汉字' },
    ])
    const long = makeZip([{ name: 'SKILL.md', content: `---\nname: ${'long name '.repeat(9)}\n---\n` }])
    t.match((await upload(package_id, long)).body.skills, [
      { slug: 'long-name-'.repeat(7).slice(0, 64).replace(/-$/, '') },
    ])
    t.match(await upload(package_id, nameless, { filename: '汉字.zip' }), {
      status: 400,
      body: { error: { code: 'SKILL_ARCHIVE_INVALID' } },
    })
    t.equal((await upload(package_id, zip, { query: '?slug=No+Slug' })).status, 422)
  },
)

t.test('An archive may hold several folders, each a skill', async (t) => {
  const package_id = await createPackage()
  const zip = makeZip(
    [
      { name: 'one/SKILL.md', content: skillText('First'), method: 0 },
      { name: 'one/run.sh', content: '#!/bin/sh', mode: 0o100755 },
      { name: 'Second One/SKILL.md', content: skillText('Second'), descriptor: true },
      { name: 'Second One/empty/', mode: 0o040755 },
      { name: 'Second One/汉 é.txt', content: 'text', extra: Buffer.from([0xfe, 0xca, 1, 0, 0]) },
      { name: '__MACOSX/one/._SKILL.md', content: 'resources' },
      { name: '.DS_Store', content: 'resources' },
      { name: 'one/.DS_Store', content: 'resources' },
    ],
    'a comment',
  )
  t.match(await upload(package_id, zip), {
    status: 201,
    body: {
      skills: [
        { slug: 'one', description: 'First', files: 2 },
        { slug: 'second-one', description: 'Second', files: 2 },
      ],
    },
  })
  t.strictSame(readPacked(package_id, 'second-one'), { 'SKILL.md': skillText('Second'), '汉 é.txt': 'text' })
  t.equal(statSync(join(packageOf(package_id), 'skills/one/run.sh')).mode & 0o777, 0o700)
  t.equal(statSync(join(packageOf(package_id), 'skills/one/SKILL.md')).mode & 0o777, 0o600)

  const one = makeZip(inFolder())
  t.match((await upload(package_id, one, { query: '?slug=renamed' })).body.skills, [{ slug: 'renamed' }])
  t.match(await upload(package_id, zip, { query: '?slug=which&overwrite=true' }), { status: 400 })
})

t.test('Archives of repositories are imported, whatever is beside their skills', async (t) => {
  const skillAt = (folder: string, name = 'SKILL.md') => ({
    name: `${folder}/${name}`,
    content: skillText(folder),
  })
  const others = (top: string): ZipEntry[] => [
    { name: `${top}README.md`, content: '# Skills' },
    { name: `${top}CLAUDE.md`, content: 'README.md', mode: 0o120777 },
    { name: `${top}.github/workflows/test.yml`, content: 'on: push' },
    { name: `${top}docs/` },
  ]
  const named = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`
  const archives: Record<string, [entries: ZipEntry[], slugs: string[]]> = {
    'skills in a folder of a repository': [
      [...others('repo-main/'), skillAt('repo-main/skills/one'), skillAt('repo-main/skills/two')],
      ['one', 'two'],
    ],
    'skills in a folder, beside a template': [
      [...others('repo-main/'), skillAt('repo-main/template'), skillAt('repo-main/skills/one')],
      ['one'],
    ],
    'skills in groups': [
      [...others('repo-1.2/'), skillAt('repo-1.2/skills/a/one'), skillAt('repo-1.2/skills/b/two')],
      ['one', 'two'],
    ],
    'skill folders at the top of a repository': [
      [...others('repo-main/'), skillAt('repo-main/one'), skillAt('repo-main/group/two')],
      ['one', 'two'],
    ],
    'skills in a hidden folder': [
      [...others('repo-main/'), skillAt('repo-main/.claude/skills/one')],
      ['one'],
    ],
    'odd names beside the skills': [
      [
        skillAt('repo-main/one'),
        { name: 'repo-main/Icon\r' },
        { name: 'repo-main/readme.md' },
        { name: 'repo-main/README.md' },
        { name: `repo-main/${'d/'.repeat(200)}a` },
        { name: '../repo-main/a' },
      ],
      ['one'],
    ],
    'a folder of skills': [
      [skillAt('skills/one'), skillAt('skills/two')],
      ['one', 'two'],
    ],
    'a folder of skills beside files': [[...others(''), skillAt('skills/one')], ['one']],
    'one skill as a repository': [
      [
        ...others('my-skill-main/').slice(0, 1),
        { name: 'my-skill-main/SKILL.md', content: named('my-skill') },
      ],
      ['my-skill'],
    ],
    'one skill as a repository of another name': [
      [{ name: 'repo-main/SKILL.md', content: named('My skill') }],
      ['repo-main'],
    ],
    'a skill inside a skill, which belongs to it': [[skillAt('one'), skillAt('one/examples/two')], ['one']],
    'names with backslashes': [
      [
        { ...skillAt('a'), name: 'one\\SKILL.md' },
        { name: 'one\\lib\\' },
        { name: 'one\\lib\\a.txt', content: 'a' },
      ],
      ['one'],
    ],
    'a skill file in lower case': [[skillAt('one', 'skill.md')], ['one']],
    'skill files in other cases': [
      [skillAt('one', 'Skill.md'), skillAt('two', 'SKILL.MD')],
      ['one', 'two'],
    ],
  }
  for (const [what, [entries, slugs]] of Object.entries(archives)) {
    const package_id = await createPackage()
    const reply = await upload(package_id, makeZip(entries), { filename: 'repo-main.zip' })
    t.strictSame(
      [reply.status, reply.body.skills?.map(({ slug }: { slug: string }) => slug)],
      [201, slugs],
      what,
    )
    for (const slug of slugs) t.type(readPacked(package_id, slug)['SKILL.md'], 'string', what)
  }
  const package_id = await createPackage()
  const [entries] = archives['names with backslashes']!
  await upload(package_id, makeZip(entries))
  t.strictSame(Object.keys(readPacked(package_id, 'one')).sort(), ['SKILL.md', 'lib/a.txt'])
  const root = makeZip([{ name: 'skill.md', content: named('Root') }, { name: 'README.md' }])
  t.match((await upload(package_id, root, { filename: 'x.skill' })).body.skills, [{ slug: 'root', files: 2 }])
})

t.test('Names are read as UTF-8 even without the flag, or else in the code page of the format', async (t) => {
  const package_id = await createPackage()
  const zip = makeZip(inFolder({ name: Buffer.from('s/é.txt') }, { name: Buffer.from([0x73, 0x2f, 0x81]) }))
  t.equal((await upload(package_id, zip)).status, 201)
  t.strictSame(Object.keys(readPacked(package_id, 's')).sort(), ['SKILL.md', 'ü', 'é.txt'].sort())
})

t.test('Archives of common tools are imported', async (t) => {
  for (const [tool, zip] of Object.entries(TOOL_ZIPS)) {
    const package_id = await createPackage()
    t.match(await upload(package_id, Buffer.from(zip, 'base64')), { status: 201 }, tool)
    t.match(
      readPacked(package_id, 'fix-tools'),
      { 'SKILL.md': /Fixes tools/, 'scripts/run.sh': '#!/bin/sh\n', '文.txt': 'x' },
      tool,
    )
  }
})

const half = makeZip(inFolder())
const bomb = Buffer.alloc(5 * MIB)
const hostile: Record<string, [zip: Buffer | ZipEntry[], reason: RegExp]> = {
  'an absolute path': [[SKILL, { name: '/evil' }], /absolute/],
  'a path that leads upwards': [[SKILL, { name: '../evil' }], /upwards/],
  'a path that leads upwards in its middle': [[SKILL, { name: 'a/../../evil' }], /upwards/],
  'a path that leads upwards at its end': [[SKILL, { name: 'a/..' }], /upwards/],
  'a path that leads upwards by backslashes': [[SKILL, { name: '..\\evil' }], /upwards/],
  'an absolute path with a backslash': [[SKILL, { name: '\\evil' }], /absolute/],
  'a drive': [[SKILL, { name: 'C:/evil' }], /drive/],
  'a place on a drive': [[SKILL, { name: 'c:evil' }], /drive/],
  'NUL in a name': [[SKILL, { name: 'evil\0.txt' }], /printable/],
  'a newline in a name': [[SKILL, { name: 'evil\n.txt' }], /printable/],
  'a name that is no UTF-8 but says so': [
    [SKILL, { name: Buffer.from([0x65, 0xff]), flags: 0x800 }],
    /printable/,
  ],
  'a name without characters': [[SKILL, { name: 'a//b' }], /empty name/],
  'no name': [[SKILL, { name: '' }], /empty name/],
  'a dot for a name': [[SKILL, { name: './a' }], /empty name/],
  'names that differ in case': [[SKILL, { name: 'a.txt' }, { name: 'A.txt' }], /case or Unicode/],
  'folders that differ in case': [[SKILL, { name: 'a/1' }, { name: 'A/2' }], /case or Unicode/],
  'a skill file in another case': [[SKILL, { name: 'skill.MD' }], /case or Unicode/],
  'names that differ in their Unicode form': [
    [SKILL, { name: '\u00e9' }, { name: 'e\u0301' }],
    /case or Unicode/,
  ],
  'names that are the same in upper case': [[SKILL, { name: 'ß' }, { name: 'SS' }], /case or Unicode/],
  'a file twice': [[SKILL, { name: 'a' }, { name: 'a' }], /twice/],
  'a file that is a folder as well': [
    [SKILL, { name: 'a' }, { name: 'a/b' }],
    /file and a folder have the same name/,
  ],
  'a folder that is a file as well': [
    [SKILL, { name: 'a/b' }, { name: 'a' }],
    /file and a folder have the same name/,
  ],
  'a symbolic link': [[SKILL, { name: 'a', content: '/etc/passwd', mode: 0o120777 }], /link or a special/],
  'a link for its skill file': [[{ ...SKILL, mode: 0o120777 }], /link or a special/],
  'a pipe': [[SKILL, { name: 'a', mode: 0o010644 }], /link or a special/],
  'a device': [[SKILL, { name: 'a', mode: 0o020644 }], /link or a special/],
  'a folder by its mode only': [[SKILL, { name: 'a', mode: 0o040755 }], /link or a special/],
  'a link that is called a folder': [[SKILL, { name: 'a/', mode: 0o120777 }], /link or a special/],
  'a folder with content': [[SKILL, { name: 'a/', content: 'x' }], /folder has content/],
  'an encrypted entry': [[SKILL, { name: 'a', flags: 1 }], /encrypted/],
  'a strongly encrypted entry': [[SKILL, { name: 'a', flags: 0x41 }], /encryption/],
  'an unknown compression': [[SKILL, { name: 'a', content: 'x', method: 12 }], /unknown method \(12\)/],
  'more than an entry says': [
    [SKILL, { name: 'a', content: bomb, claim: { size: 1000 } }],
    /cannot be read|larger/,
  ],
  'less than an entry says': [
    [SKILL, { name: 'a', content: 'x', claim: { size: 1000 } }],
    /cannot be read|smaller/,
  ],
  'a stored entry of another size': [
    [SKILL, { name: 'a', content: 'x', method: 0, claim: { size: 2 } }],
    /cannot be read/,
  ],
  'a wrong sum': [[SKILL, { name: 'a', content: 'x', claim: { crc: 1 } }], /is damaged/],
  'entries that overlap': [[SKILL, { name: 'a', content: SKILL.content!, sharing: 0 }], /overlap/],
  'two skill files in one folder': [[SKILL, { name: 'Skill.md' }], /case or Unicode/],
  'too many entries': [
    Array.from({ length: 10_001 }, (_, n) => ({ name: `__MACOSX/${n}`, method: 0 })),
    /10000/,
  ],
  'a link in a skill below other files': [
    [{ name: 'README.md' }, ...inFolder(), { name: 's/a', content: '/etc/passwd', mode: 0o120777 }],
    /link or a special/,
  ],
  'an odd name in a skill below other files': [[...inFolder(), { name: 's/Icon\r' }], /printable/],
  'a skill above the archive': [[{ ...SKILL, name: '../s/SKILL.md' }], /upwards/],
  'a path of a skill that leads upwards': [inFolder({ name: '../s/a' }), /upwards/],
  'no skill file': [[{ name: 'README.md' }], /no SKILL\.md/],
  'a folder without a skill file': [[{ name: 's/README.md' }], /no SKILL\.md/],
  'a folder that is called like a skill file': [[{ name: 's/SKILL.md/a' }], /no SKILL\.md/],
  'a folder without a slug': [[{ ...SKILL, name: '汉/SKILL.md' }], /cannot be made into a slug/],
  'two folders that make one slug': [
    [
      { ...SKILL, name: 'a b/SKILL.md' },
      { ...SKILL, name: 'a-b/SKILL.md' },
    ],
    /same slug/,
  ],
  'nothing at all': [[], /no SKILL\.md/],
  'nothing but a folder': [[{ name: 's/' }], /no SKILL\.md/],
  'no archive': [Buffer.from('PK is how archives start'), /cannot be read/],
  'half of an archive': [half.subarray(0, half.length / 2), /cannot be read/],
  'an archive whose beginning is missing': [half.subarray(10), /cannot be read/],
  'a directory that is cut off': [
    Buffer.concat([half.subarray(0, -60), half.subarray(-22)]),
    /cannot be read/,
  ],
}

t.test('Invalid archives are refused and leave nothing behind', async (t) => {
  const package_id = await createPackage()
  await upload(package_id, makeZip(inFolder()))
  const entries = listHome()
  for (const [what, [zip, reason]] of Object.entries(hostile)) {
    const { status, body } = await upload(package_id, Buffer.isBuffer(zip) ? zip : makeZip(zip), {
      query: '?overwrite=true',
    })
    t.strictSame([status, body.error?.code], [400, 'SKILL_ARCHIVE_INVALID'], what)
    t.match(body.error?.details, { reason }, what)
    t.notMatch(JSON.stringify(body), server.home, 'no path of the machine is shown')
  }
  t.strictSame(listHome(), entries)
  t.strictSame(listAll(join(server.home, 'uploads')), [])
  t.notOk(existsSync(join(server.home, '..', 'evil')))
  const { body } = await upload(package_id, makeZip([SKILL, { name: 'x/../../evil' }]))
  t.equal(body.error.details.entry, 'x/../../evil', 'the entry is named')
})

t.test(
  'Archives that are too large are refused by what they say and by what comes out of them',
  { skip: onlyLong },
  async (t) => {
    const package_id = await createPackage()
    const zeros = Buffer.alloc(32 * MIB)
    const wanted: Record<string, [ZipEntry[], object]> = {
      'one file says too much': [[SKILL, { name: 'a', claim: { size: 64 * MIB + 1 } }], { limit: 'bytes' }],
      'files together have too much': [
        [SKILL, { name: 'a', content: zeros }, { name: 'b', content: zeros }],
        { limit: 'bytes', of: 'skill', max: 64 * MIB },
      ],
      'skills together have too much': [
        [
          { ...SKILL, name: 'a/SKILL.md' },
          { name: 'a/a', claim: { size: 40 * MIB } },
          { ...SKILL, name: 'b/SKILL.md' },
          { name: 'b/b', claim: { size: 40 * MIB } },
        ],
        { limit: 'bytes', of: 'package' },
      ],
      'too many files': [
        [SKILL, ...Array.from({ length: 2000 }, (_, n) => ({ name: `${n}`, method: 0 }))],
        { limit: 'files', of: 'skill', max: 2000 },
      ],
      'a path that is too deep': [[SKILL, { name: `${'d/'.repeat(16)}a` }], { limit: 'depth', max: 16 }],
      'a name that is too long': [[SKILL, { name: '汉'.repeat(86) }], { limit: 'name_bytes', max: 255 }],
    }
    for (const [what, [entries, details]] of Object.entries(wanted))
      t.match(
        await upload(package_id, makeZip(entries)),
        { status: 413, body: { error: { code: 'SKILL_TOO_LARGE', details } } },
        what,
      )
    t.strictSame(listAll(packageOf(package_id)), ['skills'])

    const full = makeZip([SKILL, { name: 'a', content: Buffer.alloc(64 * MIB - SKILL.content!.length) }])
    t.match((await upload(package_id, full)).body.skills, [{ bytes: 64 * MIB }], '64 MiB are taken')
    t.match(await upload(package_id, makeZip(inFolder())), { status: 413 }, 'and no more after them')
    const deepest = makeZip(inFolder({ name: `${'d/'.repeat(15)}${'n'.repeat(255)}` }))
    t.equal((await upload(await createPackage(), deepest)).status, 201)
  },
)

t.test('Existing skills are kept or replaced as a whole, and several skills all or none', async (t) => {
  const package_id = await createPackage()
  await add(package_id, 's', { 'SKILL.md': skillText('Old'), 'old.txt': 'old' })
  const several = makeZip([...inFolder(), { ...SKILL, name: 'another/SKILL.md' }])
  t.match(await upload(package_id, several), {
    status: 409,
    body: { error: { code: 'SKILL_ALREADY_EXISTS', details: { slug: 's' } } },
  })
  t.strictSame(await slugsIn(package_id), ['s'])
  t.match(readPacked(package_id, 's'), { 'old.txt': 'old' })
  t.equal((await upload(package_id, several, { query: '?overwrite=true' })).status, 201)
  t.strictSame(await slugsIn(package_id), ['another', 's'])
  t.strictSame(readPacked(package_id, 's'), { 'SKILL.md': SKILL.content })
  const { body } = await server.request('GET', '/admin/audit-log?action=skill_package.add_skills&limit=1')
  t.match(body, [{ actor: 'admin', target: package_id, status: 201 }])
})

t.test('A skill may come as a list of files, which are checked in the same way', async (t) => {
  const package_id = await createPackage()
  const send = (body: object) =>
    server.request('POST', `/skill-packages/${package_id}/skills`, { body: { slug: 's', ...body } })
  const skill = { path: 'SKILL.md', content: skillText('As JSON') }
  const bytes = Buffer.from([0, 255, 10])
  t.match(await send({ files: [skill, { path: 'a/b.bin', content_base64: bytes.toString('base64') }] }), {
    status: 201,
    body: { skills: [{ slug: 's', description: 'As JSON', files: 2 }] },
  })
  t.equal(statSync(join(packageOf(package_id), 'skills/s/a/b.bin')).size, 3)
  t.match((await server.request('GET', '/admin/audit-log?limit=20')).body, [
    { action: 'skill_package.add_skills', payload: { slug: 's', files: [{ path: 'SKILL.md' }] } },
  ])
  t.notMatch(
    JSON.stringify((await server.request('GET', '/admin/audit-log?limit=20')).body),
    'As JSON',
    'the log does not repeat what is in files',
  )

  const entries = listHome()
  for (const path of [
    '../evil',
    '/evil',
    'a/../../evil',
    'a\\b',
    'c:d',
    'a\0',
    'skill.md',
    'SKILL.md',
    'SKILL.md/a',
  ])
    t.strictSame(
      refusal(await send({ files: [skill, { path, content: '' }], overwrite: true })),
      [400, 'SKILL_ARCHIVE_INVALID'],
      path,
    )
  t.strictSame(refusal(await send({ files: [{ path: 'a', content: '' }], overwrite: true })), [
    400,
    'SKILL_ARCHIVE_INVALID',
  ])
  for (const body of [
    { files: [] },
    { files: [{ path: 'SKILL.md' }] },
    { files: [{ ...skill, content_base64: '' }] },
    { files: [{ path: 'SKILL.md', content_base64: 'not base64!' }] },
    { files: [{ path: 'SKILL.md', content: 1 }] },
    { files: [skill], slug: 'No' },
    { files: [skill], slug: 'a'.repeat(65) },
    { files: [skill], mode: 'fast' },
  ])
    t.strictSame(refusal(await send(body)), [422, 'VALIDATION_FAILED'], JSON.stringify(body))
  t.strictSame(listHome(), entries)
  t.match(await send({ files: [{ ...skill, path: 'Skill.md' }], overwrite: true }), { status: 201 })
  t.strictSame(readPacked(package_id, 's'), { 'SKILL.md': skill.content })
  const path = `/skill-packages/${package_id}/skills?slug=other`
  const twoSlugs = await server.request('POST', path, {
    body: { slug: 's', files: [skill], overwrite: true },
  })
  t.strictSame(refusal(twoSlugs), [422, 'VALIDATION_FAILED'])
})

t.test('Forbidden uploads leave nothing behind', async (t) => {
  const package_id = await createPackage()
  const { token } = await server.createUser({ username: 'plain' })
  const zip = makeZip(inFolder())
  t.strictSame(refusal(await upload(package_id, zip, { token })), [403, 'FORBIDDEN'])
  const { token: permitted } = await server.createUser({
    username: 'permitted',
    permissions: ['skill_packages'],
  })
  t.strictSame(refusal(await upload(package_id, zip, { token: permitted })), [403, 'FORBIDDEN'])
  t.strictSame(refusal(await upload('none', zip)), [404, 'SKILL_PACKAGE_NOT_FOUND'])
  t.notOk(existsSync(packageOf('none')))
  t.strictSame(listAll(join(server.home, 'uploads')), [])
})
