/** Unix seconds as local time, `2026-01-31 09:30`, which is how Swedish writes it. */
export const formatTime = (seconds: number) =>
  new Date(seconds * 1000).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
