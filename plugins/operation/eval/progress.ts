/** Creates the line on a terminal that says how far an evaluation is; elsewhere nothing is shown. */
export function createProgress(stderr: NodeJS.WriteStream, total: number) {
  let done = 0
  let failed = 0
  const show = () => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${done} of ${total} turns, ${failed} failed`)
  }
  show()
  return {
    /** Counts a run that has ended. */
    count(hasPassed: boolean) {
      done += 1
      if (!hasPassed) failed += 1
      show()
    },
    /** Removes the line. */
    end() {
      if (stderr.isTTY) stderr.write('\r\u001b[K')
    },
  }
}
