import { QRCodeSVG } from 'qrcode.react'
import classes from './qr.module.css'

interface Props {
  /** The content of the code, for example an address. */
  content: string
  /** The purpose of the code. */
  label: string
}

/** A QR code to scan with a phone; black on white in both themes, as cameras want it. */
export default function QR({ content, label }: Props) {
  return (
    <div className={classes.code}>
      <QRCodeSVG value={content} size={208} marginSize={2} title={label} level="M" />
    </div>
  )
}
