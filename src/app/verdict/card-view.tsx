/** A card to send, as a picture that can be saved. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { saveFile } from '../ui/save-file';
import { cardHeight, cardWidth } from './card-drawing';

export function CardView(props: {
  svg: string;
  /** Of the file, without its ending. */
  name: string;
  alt: string;
}) {
  const { svg, name, alt } = props;
  const address = useSignal('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    address.value = made;
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  const savePng = async (): Promise<void> => {
    const blob = await pngOf(address.value);
    if (blob !== null) saveFile(`${name}.png`, blob);
  };
  return (
    <figure class="result-card">
      {address.value === '' ? null : (
        <img src={address.value} width={cardWidth} height={cardHeight} alt={alt} />
      )}
      <figcaption class="actions">
        <button type="button" class="primary" onClick={() => void savePng()}>
          Save as PNG
        </button>
        <button
          type="button"
          onClick={() => saveFile(`${name}.svg`, new Blob([svg], { type: 'image/svg+xml' }))}
        >
          Save as SVG
        </button>
      </figcaption>
    </figure>
  );
}

/** Twice as large as it is shown, for projectors. */
const pixels = 2;

async function pngOf(address: string): Promise<Blob | null> {
  const picture = new Image(cardWidth * pixels, cardHeight * pixels);
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve));
}
