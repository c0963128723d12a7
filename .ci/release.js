// `npm run release` writes a package that needs no compiler to `release/`, with its bill of materials and checksums.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = 'release'
const { name, version } = readJson('package.json')

const stage = mkdtempSync(join(tmpdir(), 'svc-release-'))
try {
  run('node', ['.ci/build.js', 'server', 'page', 'types'], { env: { ...process.env, SVC_RELEASE: '1' } })
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  run('tar', ['-xzf', pack('.', stage), '-C', stage])
  const root = join(stage, 'package')
  const lock = readJson('package-lock.json')
  const manifest = toReleased(readJson('package.json'), lock)
  writeJson(join(root, 'package.json'), manifest)
  writeJson(join(root, 'npm-shrinkwrap.json'), toShrinkwrap(lock, manifest))
  const materials = join(FOLDER, `${name}-${version}.cdx.json`)
  const options = ['--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev']
  writeFileSync(materials, execFileSync('npm', ['sbom', ...options], { cwd: root, maxBuffer: 2 ** 26 }))
  const files = [pack(root, FOLDER), materials]
  const sums = files.map((file) => `${hash(file)}  ${file.slice(FOLDER.length + 1)}\n`)
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(`${[...files, join(FOLDER, 'SHA256SUMS')].join('\n')}\n`)
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/**
 * Returns the manifest of the package without what only its development needs. It names the versions that were tested,
 * because npm reads the lock file of a package only in its own folder, with `npm ci`.
 */
function toReleased({ devDependencies, scripts, allowScripts, overrides, ...manifest }, { packages }) {
  const pin = (dependencies) =>
    Object.fromEntries(
      Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`].version]),
    )
  return {
    ...manifest,
    files: [...manifest.files, 'npm-shrinkwrap.json'],
    dependencies: pin(manifest.dependencies),
    optionalDependencies: pin(manifest.optionalDependencies),
  }
}

/** Returns the lock file of the package without what only its development needs. */
function toShrinkwrap({ packages, ...lock }, manifest) {
  const { name, version, license, dependencies, optionalDependencies, bin, engines } = manifest
  const own = { name, version, license, dependencies, optionalDependencies, bin, engines }
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  return { ...lock, packages: { '': own, ...Object.fromEntries(installed) } }
}

/** Packs a folder and returns the path of the tarball. */
function pack(folder, destination) {
  const options = ['--json', '--ignore-scripts', '--pack-destination', destination]
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', folder, ...options]))
  return join(destination, filename)
}

function hash(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function run(program, args, options) {
  execFileSync(program, args, { stdio: 'inherit', ...options })
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)
}
