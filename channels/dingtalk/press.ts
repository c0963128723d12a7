/** A link that makes the client send a text to the robot as if the person had typed it. */
const SEND_MESSAGE = 'dtmd://dingtalkclient/sendMessage?content='

const PRESS = /^\/press[ +]([\w:-]{1,40})$/

/** Returns the link of a button. The client reads a space as `+`. */
export function pressLink(value: string): string {
  return SEND_MESSAGE + encodeURIComponent(`/press ${value}`).replaceAll('%20', '+')
}

/** Returns the value of the button that sent this text; undefined for other texts. */
export const readPressedValue = (text: string) => PRESS.exec(text)?.[1]
