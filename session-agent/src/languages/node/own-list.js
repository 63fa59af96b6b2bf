/** An array of this realm with the elements of one of another, whose methods and iteration code may have replaced. */
export function ownList(array) {
  return Array.from({ length: array.length }, (_, index) => array[index]);
}
