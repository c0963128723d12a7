import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { createHome } from '../support/kernel.ts'
import { ROOT } from '../support/packed.ts'

const MAX_TARBALL_BYTES = 12e6
const MAX_INSTALLED_MB = 440

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const run = promisify(execFile)
/** The environment of this machine, without the settings of the run of tests. */
const machine = Object.entries(process.env).filter(([name]) => !/^(NODE_(OPTIONS|V8)|npm_|SVC_)/.test(name))
const env = { ...Object.fromEntries(machine), SVC_COMMIT: '0123abcd' }

t.test('A release is installed and used without a compiler', { skip: onlyLong }, async (t) => {
  const folder = createHome(t)
  const project = join(folder, 'project')
  const at = (...names: string[]) => join(project, 'release', ...names)

  /** Copies the sources: a release is built from them, and the server that other tests run stays as it is. */
  async function copySources() {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT })
    for (const file of stdout.split('\0').filter((name) => existsSync(join(ROOT, name)) && name !== ''))
      cpSync(join(ROOT, file), join(project, file))
    for (const modules of ['node_modules', 'tests/node_modules'])
      symlinkSync(join(ROOT, modules), join(project, modules))
  }

  await copySources()
  await run('npm', ['run', 'release'], { cwd: project, env })
  const tarball = at(`agent-platform-service-${version}.tgz`)

  await t.test('the tarball is small, has the documents, and matches its checksum', async (t) => {
    t.ok(statSync(tarball).size <= MAX_TARBALL_BYTES, `${statSync(tarball).size} bytes`)
    const { stdout } = await run('tar', ['-tzf', tarball])
    for (const file of [
      'docs/users.md',
      'plugin-api/api-report.md',
      'dist/plugins/reach/console/web/index.html',
      'LICENSE',
    ])
      t.ok(stdout.includes(`package/${file}\n`), file)
    const superfluous = stdout.split('\n').filter((file) => /\.map$|^package\/(dist\/)?tests\//.test(file))
    t.strictSame(superfluous, [])
    await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: at() })
  })

  await t.test('the bill of materials has what is installed, and no tools', async (t) => {
    const materials = JSON.parse(readFileSync(at(`agent-platform-service-${version}.cdx.json`), 'utf8'))
    t.match(materials, { bomFormat: 'CycloneDX', metadata: { component: { version } } })
    const names = materials.components.map(({ name }: { name: string }) => name)
    t.ok(names.includes('mongodb'))
    t.notOk(names.includes('vite') || names.includes('typescript'))
  })

  await t.test('npm install -g puts a server into an empty prefix, which chats', async (t) => {
    const prefix = join(folder, 'prefix')
    await run('npm', ['install', '-g', '--prefix', prefix, '--no-audit', '--no-fund', tarball], { env })
    const { stdout } = await run('du', ['-sm', prefix])
    t.ok(Number.parseInt(stdout, 10) <= MAX_INSTALLED_MB, stdout)
    const svc = join(prefix, 'bin/svc')
    t.equal((await run(svc, ['--version'], { env })).stdout, `${version} (0123abcd)\n`)
    const smoke = await run(process.execPath, [join(ROOT, '.ci/smoke.js'), svc], { env })
    t.match(smoke.stdout, /starts, chats and stops/)

    const plugins = join(folder, 'plugins')
    await run(svc, ['plugin', 'new', 'feature', 'notes', '--in', plugins], { env })
    const cwd = join(plugins, 'notes')
    await run('npm', ['install', '--no-audit', '--no-fund'], { cwd, env })
    const home = { ...env, SVC_HOME: join(folder, 'empty') }
    const checked = await run('npm', ['run', 'check'], { cwd, env: home })
    t.match(checked.stdout, /notes 0\.1\.0 loads/)
  })

  await t.test('unpacked, npm ci installs the versions that were tested', async (t) => {
    const unpacked = join(folder, 'package')
    await run('tar', ['-xzf', tarball, '-C', folder])
    await run('npm', ['ci', '--omit=optional', '--no-audit', '--no-fund'], { cwd: unpacked, env })
    const versionIn = (root: string) =>
      JSON.parse(readFileSync(join(root, 'node_modules/mongodb/package.json'), 'utf8')).version
    t.equal(versionIn(unpacked), versionIn(ROOT))
    // The database engine is an optional dependency.
    const main = join(unpacked, 'dist/kernel/cli/main.js')
    const ended = await run(process.execPath, [main, 'serve'], { env: { ...env, SVC_HOME: folder } }).catch(
      (error) => error,
    )
    t.match(ended, { code: 1, stderr: /@0q\/embedded-mongodb.*SVC_DATABASE_URL/s })
  })
})
