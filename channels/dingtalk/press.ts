/** A link in a message that makes the client send a text as if the person had typed it, to the robot. */
const SEND_MESSAGE = 'dtmd://dingtalkclient/sendMessage?content='

const PRESS = /^\/press[ +]([\w:-]{1,40})$/

/** The link of a button. The client takes a space as `+`. */
export function pressLink(value: string): string {
  return SEND_MESSAGE + encodeURIComponent(`/press ${value}`).replaceAll('%20', '+')
}

/** The value of the button that made this text, if one did. */
export const pressedValue = (text: string) => PRESS.exec(text)?.[1]
