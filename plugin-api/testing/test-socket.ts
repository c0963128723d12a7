/** A frame as it came. */
// biome-ignore lint/suspicious/noExplicitAny: what a frame holds, the test asserts
export type TestFrame = { type: string } & Record<string, any>

/** A WebSocket client that keeps every frame. */
export interface TestSocket {
  frames: TestFrame[]
  send(frame: object | string): void
  /** Returns the next frame that was not read yet, of this type if one is given (others are passed over). */
  next(type?: string): Promise<TestFrame>
  closed: Promise<{ code: number; reason: string }>
  close(): void
}
