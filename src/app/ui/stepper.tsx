/** Steps through a few items in a circle. */
export function Stepper(props: {
  name: string;
  index: number;
  count: number;
  onChange: (index: number) => void;
}) {
  const { name, index, count, onChange } = props;
  if (count < 2) return null;
  return (
    <div class="stepper row">
      <button onClick={() => onChange((index + count - 1) % count)}>
        Previous<span class="visually-hidden"> {name}</span>
      </button>
      <span>
        <span class="visually-hidden">{name} </span>
        {index + 1} of {count}
      </span>
      <button onClick={() => onChange((index + 1) % count)}>
        Next<span class="visually-hidden"> {name}</span>
      </button>
    </div>
  );
}
