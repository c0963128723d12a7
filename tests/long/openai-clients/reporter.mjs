/** A reporter of `node --test` that prints a line of JSON about each test: its title, and the error of a failed one. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { error } = data.details
    yield `${JSON.stringify({ title: data.name, error: error && (error.cause?.stack ?? error.message) })}\n`
  }
}
