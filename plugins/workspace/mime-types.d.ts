declare module 'mime-types' {
  export function lookup(path: string): string | false
  export function charset(type: string): string | false
}
