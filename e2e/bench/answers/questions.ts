/** Ten questions for each schema, with the values that the text gives. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export type Facts = Readonly<Record<string, Json>>;

export interface Question {
  readonly question: string;
  readonly facts: Facts;
}

export const addresses: readonly Question[] = (
  [
    ["Mary Jones", 12, "Oak Street", "Boston", "02108"],
    ["Paul Weber", 7, "Mill Road", "Dublin", "10115"],
    ["Lena Fox", 250, "Park Avenue", "New York", "10177"],
    ["Omar Hill", 3, "Church Lane", "Leeds", "45011"],
    ["Nina Rossi", 48, "Lake Drive", "Chicago", "60601"],
    ["Sam Lee", 91, "Market Street", "San Francisco", "94103"],
    ["Ruth Klein", 16, "Garden Way", "Denver", "80202"],
    ["Hugo Blanc", 5, "Station Road", "Austin", "73301"],
    ["Iris Young", 33, "Pine Street", "Seattle", "98101"],
    ["Karl Berg", 120, "King Street", "Portland", "97035"],
  ] as const
).map(([person, number, street, city, zip]) => ({
  question: `Extract the address as JSON with street, number, city and zip: ${person} lives at ${number} ${street} in ${city}, zip ${zip}.`,
  facts: { street, number, city, zip },
}));

export const contacts: readonly Question[] = (
  [
    ["Peter Brown", "peter@example.com"],
    ["Anna Schmidt", "anna.schmidt@example.org"],
    ["Luis Gomez", "luis@mail.example.com"],
    ["Kate Miller", "kate.miller@example.net"],
    ["John Carter", "jcarter@example.com"],
    ["Sofia Conti", "sofia@example.it"],
    ["David Chen", "david.chen@example.com"],
    ["Laura White", "laura@example.org"],
    ["Mark Green", "mark.green@example.co.uk"],
    ["Julia Stone", "julia@example.com"],
  ] as const
).map(([name, email]) => ({
  question: `Extract the contact as JSON with name and email: You can reach ${name} at ${email}.`,
  facts: { name, email },
}));

export const amounts: readonly Question[] = (
  [
    ["Corner Shop", "49 dollars", true],
    ["Book Store", "15 dollars", true],
    ["Garden Center", "230 dollars", false],
    ["Coffee House", "8 dollars", true],
    ["Bike Shop", "410 dollars", false],
    ["Fish Market", "27 dollars", true],
    ["Toy Store", "62 dollars", false],
    ["Bakery", "5 dollars", true],
    ["Hardware Store", "119 dollars", false],
    ["Flower Shop", "35 dollars", true],
  ] as const
).map(([shop, amount, paid]) => ({
  question: `Extract the bill as JSON with shop, amount and paid: The bill of the ${shop} over ${amount} ${paid ? "was paid" : "is not paid yet"}.`,
  facts: { shop, amount, paid },
}));

export const festivals: readonly Question[] = (
  [
    ["Book Fair", "2024-05-03", "2024-05-07"],
    ["Jazz Festival", "2023-07-14", "2023-07-16"],
    ["Summer Camp", "2025-06-30", "2025-07-11"],
    ["Film Week", "2022-10-01", "2022-10-08"],
    ["City Marathon", "2024-04-20", "2024-04-21"],
    ["Wine Festival", "2021-09-10", "2021-09-19"],
    ["Art Show", "2024-11-05", "2024-11-25"],
    ["Winter Market", "2023-12-01", "2023-12-23"],
    ["Science Days", "2025-03-12", "2025-03-14"],
    ["Food Fair", "2022-08-18", "2022-08-20"],
  ] as const
).map(([title, start, end]) => ({
  question: `Extract the event as JSON with title, start and end (dates as YYYY-MM-DD): The ${title} is from ${start} to ${end}.`,
  facts: { title, start, end },
}));

export const recipes: readonly Question[] = (
  [
    ["pancakes", "Pancakes"],
    ["tomato soup", "Tomato Soup"],
    ["apple pie", "Apple Pie"],
    ["fried rice", "Fried Rice"],
    ["lemonade", "Lemonade"],
    ["chocolate cake", "Chocolate Cake"],
    ["potato salad", "Potato Salad"],
    ["omelette", "Omelette"],
    ["vegetable curry", "Vegetable Curry"],
    ["banana bread", "Banana Bread"],
  ] as const
).map(([dish, title]) => ({
  question: `Write a recipe for ${dish} as JSON with title, minutes and ingredients (a list of texts).`,
  facts: { title },
}));

export const products: readonly Question[] = (
  [
    ["Blue Kettle", 24.5, true],
    ["Desk Lamp", 39.9, true],
    ["Red Chair", 75, false],
    ["Wool Blanket", 49.25, true],
    ["Garden Hose", 18.75, false],
    ["Steel Pan", 32, true],
    ["Travel Bag", 89.5, false],
    ["Wall Clock", 21.4, true],
    ["Coffee Mug", 7.5, true],
    ["Rain Coat", 64, false],
  ] as const
).map(([name, price, inStock]) => ({
  question: `Describe the product as JSON with name, price and inStock: The ${name} costs ${price} dollars and is ${inStock ? "in stock" : "out of stock"}.`,
  facts: { name, price, inStock },
}));

export const reviews: readonly Question[] = (
  [
    ["I love this phone.", "positive"],
    ["The food was cold and the waiter was rude.", "negative"],
    ["The parcel came on Tuesday.", "neutral"],
    ["What a wonderful film!", "positive"],
    ["The zipper broke after two days.", "negative"],
    ["Great service and friendly staff.", "positive"],
    ["I want my money back.", "negative"],
    ["The book has 300 pages.", "neutral"],
    ["Best pizza in town.", "positive"],
    ["The room was dirty and loud.", "negative"],
  ] as const
).map(([review, sentiment]) => ({
  question: `Is this review positive, negative or neutral? Answer as JSON with sentiment and reason. Review: "${review}"`,
  facts: { sentiment },
}));

export const forecasts: readonly Question[] = (
  [
    ["Oslo", 3],
    ["Madrid", 5],
    ["Cairo", 2],
    ["Toronto", 7],
    ["Lima", 4],
    ["Vienna", 6],
    ["Tokyo", 10],
    ["Nairobi", 3],
    ["Sydney", 5],
    ["Warsaw", 2],
  ] as const
).map(([city, days]) => ({
  question: `What will the weather be in ${city} for the next ${days} days?`,
  facts: { city, days },
}));

export const reminders: readonly Question[] = (
  [
    ["call Anna", 15],
    ["water the plants", 9],
    ["buy milk", 18],
    ["feed the cat", 7],
    ["pay the rent", 12],
    ["take the medicine", 20],
    ["pick up the parcel", 16],
    ["call the dentist", 10],
    ["book the flight", 14],
    ["walk the dog", 19],
  ] as const
).map(([title, hour]) => ({
  question: `Remind me to ${title} at ${hour} hours.`,
  facts: { title, hour },
}));

export const households: readonly Question[] = (
  [
    ["Tom", 31, "Eva", 28],
    ["Ben", 45, "Lisa", 44],
    ["Maya", 19, "Leo", 22],
    ["Olga", 67, "Ivan", 70],
    ["Jack", 9, "Emma", 12],
    ["Nora", 36, "Paul", 38],
    ["Rosa", 52, "Carl", 55],
    ["Amir", 27, "Lina", 25],
    ["Kim", 33, "Joe", 30],
    ["Alice", 41, "Bob", 40],
  ] as const
).map(([first, age, second, otherAge]) => ({
  question: `List the people as JSON, each with name and age: ${first} is ${age} years old and ${second} is ${otherAge} years old.`,
  facts: {
    people: [
      { name: first, age },
      { name: second, age: otherAge },
    ],
  },
}));

export const residents: readonly Question[] = (
  [
    ["Ada", "Rome"],
    ["Max", "Berlin"],
    ["Zoe", "Paris"],
    ["Liam", "Dublin"],
    ["Ana", "Lisbon"],
    ["Erik", "Stockholm"],
    ["Mia", "Vienna"],
    ["Noah", "London"],
    ["Yuki", "Osaka"],
    ["Pablo", "Madrid"],
  ] as const
).map(([name, city]) => ({
  question: `Answer as JSON with the name and the city of the person, for example {"city": …, "name": …}: ${name} lives in ${city}.`,
  facts: { name, city },
}));

export const books: readonly Question[] = (
  [
    ["Dune", "Frank Herbert", 1965],
    ["Emma", "Jane Austen", 1815],
    ["Dracula", "Bram Stoker", 1897],
    ["Ulysses", "James Joyce", 1922],
    ["The Hobbit", "J. R. R. Tolkien", 1937],
    ["Moby Dick", "Herman Melville", 1851],
    ["The Time Machine", "H. G. Wells", 1895],
    ["Animal Farm", "George Orwell", 1945],
    ["Frankenstein", "Mary Shelley", 1818],
    ["Treasure Island", "Robert Louis Stevenson", 1883],
  ] as const
).map(([title, author, year]) => ({
  question: `Answer as JSON with title, author and year of the book: ${title} by ${author}, from ${year}.`,
  facts: { title, author, year },
}));
