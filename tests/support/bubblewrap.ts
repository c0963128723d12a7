import { spawnSync } from 'node:child_process'

const { error, stderr, status } = spawnSync(
  'bwrap',
  ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--unshare-pid', 'true'],
  { encoding: 'utf8' },
)

/** The reason to skip tests that need bubblewrap, or false if it works. */
export const noBubblewrap: string | false =
  status === 0 ? false : `bubblewrap does not work here: ${error?.message ?? stderr.trim()}`
