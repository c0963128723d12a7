import { type Figure, median, spread } from './figure.ts'

const secondStarts = 5

/** Measures the time from spawning the process to its first healthy answer, on an empty and on a used home. */
export const measureReady: Figure = async (stage) => {
  const home = await stage.createHome()
  const startOnce = async () => {
    const service = await stage.startService(home)
    await service.stop()
    return service.readyMs
  }
  const first = await startOnce()
  const later: number[] = []
  for (let start = 0; start < secondStarts; start++) later.push(await startOnce())
  return [
    { measure: 'first start', value: first, unit: 'ms', note: 'empty home' },
    {
      measure: 'second start',
      value: median(later),
      unit: 'ms',
      note: `median of ${secondStarts}, ${spread(later)}`,
    },
  ]
}
