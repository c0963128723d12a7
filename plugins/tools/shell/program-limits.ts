import { constants } from 'node:os'
import type { Cradle } from './manifest.ts'

const MIB = 1024 * 1024

/** The limits of a program with all that it starts. */
export interface ProgramLimits {
  memory_bytes: number
  /** Processes and threads. */
  tasks: number
  file_bytes: number
  disk_bytes: number
}

/** The settings of the limits. */
export type LimitSettings = Pick<
  Cradle['config'],
  'max_memory_mib' | 'max_tasks' | 'max_file_mib' | 'max_disk_mib'
>

/** Returns the limits in bytes. */
export const toLimits = ({
  max_memory_mib,
  max_tasks,
  max_file_mib,
  max_disk_mib,
}: LimitSettings): ProgramLimits => ({
  memory_bytes: max_memory_mib * MIB,
  tasks: max_tasks,
  file_bytes: max_file_mib * MIB,
  disk_bytes: max_disk_mib * MIB,
})

/**
 * Returns the arguments with which prlimit limits each process by itself. Its memory has room for what is reserved and
 * never used, as the memory in use is watched for all processes together.
 */
export const toLimitArgs = ({ memory_bytes, tasks, file_bytes }: ProgramLimits): string[] => [
  `--data=${2 * memory_bytes}`,
  `--nproc=${tasks}`,
  `--fsize=${file_bytes}`,
  '--core=0',
]

/** The limit for which a program was killed; `disk_full`: the disk has little room left. */
export type Excess = 'memory' | 'tasks' | 'disk' | 'disk_full'

/** Describes an excess as the end of a sentence. */
export const describeExcess = (excess: Excess, limits: ProgramLimits): string => EXCESS_WORDS[excess](limits)

const EXCESS_WORDS: Record<Excess, (limits: ProgramLimits) => string> = {
  memory: ({ memory_bytes }) => `it used more than ${memory_bytes / MIB} MiB of memory`,
  tasks: ({ tasks }) => `it had more than ${tasks} processes and threads`,
  disk: ({ disk_bytes }) => `it wrote more than ${disk_bytes / MIB} MiB to the disk`,
  disk_full: () => 'the disk of the server is almost full',
}

/** Messages of programs that met a limit, and the limit. */
const HINTS: readonly [pattern: RegExp, describe: (limits: ProgramLimits) => string][] = [
  [
    /MemoryError|cannot allocate memory|out of memory|bad_alloc|\bENOMEM\b/i,
    ({ memory_bytes }) =>
      `a program may use ${memory_bytes / MIB} MiB of memory here, with the files in /tmp`,
  ],
  [
    /cannot fork|can't start new thread|resource temporarily unavailable|spawn \S+ EAGAIN/i,
    ({ tasks }) => `a program may have ${tasks} processes and threads here`,
  ],
  [
    /file too large|\bEFBIG\b|file size limit/i,
    ({ file_bytes }) => `a file may have ${file_bytes / MIB} MiB here`,
  ],
]

const NETWORK_FAILURE =
  /network is unreachable|could not resolve|name resolution|name or service not known|unable to resolve|connection refused|\b(?:ENETUNREACH|ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\b/i

/** The exit code of a program that the system killed as it wrote a file that is too large. */
const FILE_SIZE_CODE = 128 + constants.signals.SIGXFSZ

/** Describes the limits that a failed program has probably met. */
export function explainEnd(
  { code }: { code: number | null },
  output: string,
  { limits, network }: { limits: ProgramLimits; network: boolean },
): string[] {
  const words = code === FILE_SIZE_CODE ? `${output}\nfile size limit` : output
  return [
    ...HINTS.flatMap(([pattern, describe]) => (pattern.test(words) ? [describe(limits)] : [])),
    ...(!network && NETWORK_FAILURE.test(words)
      ? ['programs have no network on this server: plugins.shell.network is false']
      : []),
  ]
}
